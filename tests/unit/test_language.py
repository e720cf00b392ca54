import pytest

from mt_difficulty.data.language import default_units, notices

# Two sentences each, with the spaces that are usual in the script.
UNSPACED = {
    "Chinese": ["消防队的云梯车早该检修了，", "烟囱倒下时卡住了 12 次。"],
    "Japanese": ["昨日、図書館で本を三冊借りました。", "コンピューターが壊れました。"],
    "Thai": ["เมื่อวานนี้ฉันไปห้องสมุด และยืมหนังสือสามเล่ม", "คอมพิวเตอร์ของเขาเสีย"],
    "Lao": ["ມື້ວານນີ້ຂ້ອຍໄປຫໍສະໝຸດ", "ຄອມພິວເຕີຂອງລາວເພ"],
    "Khmer": ["ម្សិលមិញខ្ញុំបានទៅបណ្ណាល័យ", "កុំព្យូទ័ររបស់គាត់ខូច"],
    "Burmese": ["မနေ့က ကျွန်တော် စာကြည့်တိုက်ကို သွားခဲ့တယ်။", "သူ့ကွန်ပျူတာ ပျက်သွားတယ်။"],
    "Tibetan": ["ཁ་སང་ང་དཔེ་མཛོད་ཁང་ལ་ཕྱིན་པ་ཡིན།", "ཁོའི་གློག་ཀླད་སྐྱོན་ཤོར་སོང་།"],
}
SPACED = {
    "Upper Sorbian": ["Wčera běch w bibliotece.", "Jeho ličak je skóncowany."],
    "Korean": ["어제 도서관에서 책을 세 권 빌렸습니다.", "그의 컴퓨터가 고장났습니다."],
    "Hindi": ["कल मैं पुस्तकालय गया था।", "उसका कंप्यूटर खराब हो गया।"],
    "Arabic": ["ذهبت أمس إلى المكتبة.", "تعطل حاسوبه."],
    "Chinese in words": ["消防队 的 云梯车 早 该 检修 了 ，", "烟囱 倒下 时 卡住 了 。"],
    "German that quotes": ["Das Zeichen 山 heißt Berg.", "森林 sind Wälder."],
    "digits": ["12 345", "6,7"],
    "nothing": ["", " "],
}


@pytest.mark.parametrize("language", ["zh", "ja", "th", "km", "lo", "my", "bo", "yue"])
def test_targets_without_spaces_are_split_into_characters(language):
    assert default_units(f"en-{language}", ["two words"]) == "characters"
    assert default_units(f"{language}-en", ["two words"]) == "words"


@pytest.mark.parametrize("script", UNSPACED)
def test_scripts_without_spaces_are_recognised_of_unknown_languages(script):
    text = UNSPACED[script]
    assert default_units("en-und", text * 50) == default_units("en-xx", text) == "characters"
    assert default_units("en-de", text) == "words"
    (notice,) = notices("en-xx", text)
    assert "xx is no language that bert-score's multilingual encoder was trained on" in notice
    assert "recognised from the reference's script, and aligned by characters" in notice


@pytest.mark.parametrize("script", SPACED)
def test_other_texts_of_unknown_languages_are_split_into_words(script):
    assert default_units("en-hsb", SPACED[script]) == "words"
    assert "words are what spaces separate" in " ".join(notices("en-hsb", SPACED[script]))
