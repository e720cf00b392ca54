import pytest

from mt_difficulty.data.language import default_units, notices, target_language

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
    (notice,) = notices("en-xx", text, {"bleu", "bertscore"}, split=True)
    assert notice.startswith("the target language xx is not known here: ")
    assert "as the reference's script shows, and split into characters" in notice
    assert "BLEU uses sacreBLEU's tokenizer 13a, which needs spaces" in notice
    assert "it is no language that bert-score's multilingual encoder was trained on" in notice


def test_a_language_that_is_not_named_is_no_unknown_language():
    (notice,) = notices("und-und", ["two words"], {"bleu", "bertscore"}, split=True)
    assert notice.startswith("no target language is named (lang, --lang): words are what spaces")
    assert "und" not in notice
    assert "multilingual" not in notice


@pytest.mark.parametrize("script", SPACED)
def test_other_texts_of_unknown_languages_are_split_into_words(script):
    assert default_units("en-hsb", SPACED[script]) == "words"
    (notice,) = notices("en-hsb", SPACED[script], {"chrf"}, split=True)
    assert notice.endswith(": words are what spaces separate.")


def test_only_what_is_computed_is_said_of_an_unknown_language():
    text = SPACED["Upper Sorbian"]
    assert notices("en-hsb", text, {"chrf"}, split=False) == []
    assert notices("en-hsb", text, set(), split=False) == []
    (notice,) = notices("en-hsb", text, {"bleu"}, split=False)
    assert "aligned" not in notice
    assert notice.endswith(": BLEU uses sacreBLEU's tokenizer 13a.")
    assert notices("en-de", text, {"bleu", "bertscore"}, split=True) == []


@pytest.mark.parametrize(
    ("written", "code"),
    [
        ("zho", "zh"),
        ("cmn", "zh"),
        ("zho_Hans", "zh"),
        ("zh_TW", "zh"),
        ("ZH", "zh"),
        ("jpn", "ja"),
        ("jpn_Jpan", "ja"),
        ("deu_Latn", "de"),
        ("deu", "de"),
        ("de", "de"),
        ("sr_Cyrl_RS", "sr"),
        ("yue", "yue"),
        ("hsb", "hsb"),
    ],
)
def test_every_code_of_a_language_is_that_of_two_letters(written, code):
    assert target_language(f"en-{written}") == code
    # A target without spaces is one under every code.
    assert default_units(f"en-{written}", ["two words"]) == default_units(f"en-{code}", ["two"])
