#!/usr/bin/env bash
# A Slurm of one node on this machine, for tests: `slurm.sh start FOLDER`, `slurm.sh stop FOLDER`.
# Everything it makes stands in FOLDER, but for a link in /etc/slurm, where Slurm's commands look
# (Snakemake's plugin takes SLURM_CONF out of jobs' environment). Jobs are killed when they take more
# memory than they asked for. `slurm.sh start FOLDER accounting` keeps accounts, too, in a MariaDB of
# its own: `sacct` then answers, and user root has the account `lab`. Exit code 3: cannot run here.
set -euo pipefail

PATH="$PATH:/usr/sbin"

fail() {
  echo "slurm.sh: $1" >&2
  exit "${2:-1}"
}

usage="usage: slurm.sh start FOLDER [accounting] | stop FOLDER"
[ $# -ge 2 ] || fail "$usage"
accounting=${3:-}
mkdir -p "$2"
folder=$(cd "$2" && pwd)
config="$folder/slurm.conf"
link=/etc/slurm/slurm.conf

check() {
  for program in munged slurmctld slurmd sbatch; do
    command -v "$program" > /dev/null || fail "no $program: apt-get install slurm-wlm munge" 3
  done
  if [ -n "$accounting" ]; then
    for program in slurmdbd mariadbd mariadb-install-db; do
      command -v "$program" > /dev/null ||
        fail "no $program: apt-get install slurmdbd mariadb-server" 3
    done
  fi
  [ "$(id -u)" -eq 0 ] || fail "Slurm's daemons need root, to start jobs for their users" 3
  # A link without a Slurm is the rest of a test that was killed.
  [ ! -L "$link" ] || pgrep -x slurmctld > /dev/null || rm "$link"
  [ ! -e "$link" ] || fail "$link is there: this machine has a Slurm, or a test runs" 3
}

configure() {
  # Claims more CPUs than there may be (config_overrides): jobs ask for up to eight.
  local host memory ports
  host=$(hostname -s)
  memory=$(awk '/MemTotal/ {print int($2 / 1024)}' /proc/meminfo)
  ports=($(python3 -c '
import socket
sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(4)]
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
  [ -n "$accounting" ] || return 0
  cat >> "$config" << END
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort=${ports[2]}
AccountingStoragePass=$folder/munge.socket
END
  cat > "$folder/slurmdbd.conf" << END
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort=${ports[2]}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
PidFile=$folder/slurmdbd.pid
LogFile=$folder/slurmdbd.log
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort=${ports[3]}
StorageUser=slurm
StoragePass=slurm
StorageLoc=slurm
END
  chmod 600 "$folder/slurmdbd.conf"
  cat > "$folder/mariadb.cnf" << END
[mariadbd]
user=root
datadir=$folder/mariadb
socket=$folder/mariadb.socket
port=${ports[3]}
bind-address=127.0.0.1
pid-file=$folder/mariadbd.pid
log-error=$folder/mariadbd.log
innodb_buffer_pool_size=64M
END
  cat > "$folder/mariadb.sql" << END
CREATE DATABASE slurm;
CREATE USER slurm@'127.0.0.1' IDENTIFIED BY 'slurm';
CREATE USER slurm@localhost IDENTIFIED BY 'slurm';
GRANT ALL ON slurm.* TO slurm@'127.0.0.1';
GRANT ALL ON slurm.* TO slurm@localhost;
END
}

# Repeat a command until it succeeds, for half a minute.
until_it_works() {
  for _ in $(seq 60); do
    if "$@" > /dev/null 2>&1; then return; fi
    sleep 0.5
  done
  stop
  fail "$* does not work: $(tail -q -n 5 "$folder"/*.log)"
}

start_accounting() {
  mariadb-install-db --defaults-file="$folder/mariadb.cnf" --auth-root-authentication-method=normal \
    > "$folder/mariadb_install.log" 2>&1
  mariadbd --defaults-file="$folder/mariadb.cnf" --init-file="$folder/mariadb.sql" \
    > /dev/null 2>&1 &
  until_it_works mariadb --socket="$folder/mariadb.socket" --user=slurm --password=slurm slurm \
    --execute="SELECT 1"
  SLURM_CONF="$config" slurmdbd
  until_it_works sacctmgr --immediate add cluster test
  sacctmgr --immediate add account lab > "$folder/sacctmgr.log"
  sacctmgr --immediate add user root account=lab >> "$folder/sacctmgr.log"
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
  [ -z "$accounting" ] || start_accounting
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
  # One after the other: each needs those that follow.
  local pid
  for daemon in slurmd slurmctld slurmdbd mariadbd munged; do
    [ -e "$folder/$daemon.pid" ] || continue
    pid=$(cat "$folder/$daemon.pid")
    kill "$pid" 2> /dev/null || true
    for _ in $(seq 100); do
      [ -e "/proc/$pid/exe" ] || break
      sleep 0.1
    done
  done
  rm -f "$link"
}

case $1 in
  start) start ;;
  stop) stop ;;
  *) fail "$usage" ;;
esac
