#!/usr/bin/env bash
# A Slurm of one node on this machine, for tests: `slurm.sh start FOLDER`, `slurm.sh stop FOLDER`.
# Everything it makes stands in FOLDER, but for a link in /etc/slurm, where Slurm's commands look
# (Snakemake's plugin takes SLURM_CONF out of jobs' environment). No accounting; jobs are killed when
# they take more memory than they asked for. Exit code 3: cannot run on this machine.
set -euo pipefail

PATH="$PATH:/usr/sbin"

fail() {
  echo "slurm.sh: $1" >&2
  exit "${2:-1}"
}

[ $# -eq 2 ] || fail "usage: slurm.sh start|stop FOLDER"
mkdir -p "$2"
folder=$(cd "$2" && pwd)
config="$folder/slurm.conf"
link=/etc/slurm/slurm.conf

check() {
  for program in munged slurmctld slurmd sbatch; do
    command -v "$program" > /dev/null || fail "no $program: apt-get install slurm-wlm munge" 3
  done
  [ "$(id -u)" -eq 0 ] || fail "Slurm's daemons need root, to start jobs for their users" 3
  [ ! -e "$link" ] || fail "$link is there: this machine has a Slurm, or a test runs" 3
}

configure() {
  # Claims more CPUs than there may be (config_overrides): jobs ask for up to eight.
  local host memory ports
  host=$(hostname -s)
  memory=$(awk '/MemTotal/ {print int($2 / 1024)}' /proc/meminfo)
  ports=($(python3 -c '
import socket
sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
print(*(s.getsockname()[1] for s in sockets))'))
  cat > "$config" << END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=${ports[0]}
SlurmdPort=${ports[1]}
SlurmUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$folder/munge.socket
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=1
JobAcctGatherParams=OverMemoryKill
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1,batch_sched_delay=0,sched_min_interval=0
MinJobAge=3600
KillWait=2
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=16 RealMemory=$memory
PartitionName=test Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
}

start() {
  check
  configure
  mkdir -p "$folder/state" "$folder/spool" "$(dirname "$link")"
  ln -sfn "$config" "$link"
  (umask 077 && head -c 1024 /dev/urandom > "$folder/munge.key")
  # --force: a temporary folder's parents may be writable for others.
  munged --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" \
    --pid-file="$folder/munged.pid" --log-file="$folder/munged.log" \
    --seed-file="$folder/munge.seed" 2> "$folder/munged.err" ||
    fail "munged did not start: $(cat "$folder/munged.err")"
  slurmctld -c
  slurmd
  for _ in $(seq 60); do
    if sinfo --noheader --format=%t 2> /dev/null | grep -q idle; then return; fi
    sleep 0.5
  done
  stop
  fail "the node did not come up: $(tail -n 5 "$folder/slurmd.log" "$folder/slurmctld.log")"
}

stop() {
  [ "$(readlink "$link")" = "$config" ] || return 0
  scancel --user root 2> /dev/null || true
  for daemon in slurmd slurmctld munged; do
    [ ! -e "$folder/$daemon.pid" ] || kill "$(cat "$folder/$daemon.pid")" 2> /dev/null || true
  done
  rm -f "$link"
}

case $1 in
  start) start ;;
  stop) stop ;;
  *) fail "usage: slurm.sh start|stop FOLDER" ;;
esac
