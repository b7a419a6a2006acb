#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What a user of the programs sees: one line and status 1 for bad input with nothing written, the same bytes for the
# same seed, status 2 and a list when a run cannot end. Usage: programs-test.sh <folder of the programs>

set -uo pipefail

programs=$(cd "$1" && pwd)
models=$(cd "$(dirname "${BASH_SOURCE[0]}")/../examples" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
passed=0
failed=0

report() { # name, what went wrong or nothing
    if [ -z "$2" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED %s: %s\n' "$1" "$2"
    fi
}

# Bad input: status 1, one line on stderr that holds each of the words, no folder "out".
refuses() { # program, words separated by "|", arguments
    local program=$1 words=$2
    shift 2
    "$programs/$program" --out=out "$@" >stdout 2>stderr
    local status=$? wrong=""
    [ $status -eq 1 ] || wrong="status $status instead of 1"
    [ "$(wc -l <stderr)" -eq 1 ] || wrong="$wrong; $(wc -l <stderr) lines instead of 1"
    [ ! -e out ] || wrong="$wrong; wrote $(ls out)"
    while IFS= read -r -d '|' word; do
        grep -qF -- "$word" stderr || wrong="$wrong; no \"$word\" in: $(cat stderr)"
    done <<<"$words|"
    report "$program $*" "$wrong"
}

# Valid input: a status, and words on stdout or stderr.
ends() { # status, program, words separated by "|", arguments
    local expected=$1 program=$2 words=$3
    shift 3
    "$programs/$program" "$@" >stdout 2>stderr
    local status=$? wrong=""
    [ $status -eq "$expected" ] || wrong="status $status instead of $expected: $(head -3 stderr)"
    while IFS= read -r -d '|' word; do
        grep -qF -- "$word" stdout stderr || wrong="$wrong; no \"$word\""
    done <<<"$words|"
    report "$program $*" "$wrong"
}

cat >small.csv <<'END'
layer,forward_us,backward_us,gradient_bytes
front,200,300,40000
middle,200,300,400000
back,200,300,800000
END
small=(--model=./small.csv --workers=3 --servers=1)

refuses gradnet-train 'even k|got 5' --k=5
refuses gradnet-train '9 workers|16 hosts' --workers=9 --servers=9
refuses gradnet-train '--workers|whole number' --workers=0
refuses gradnet-train '--workers|"-1"|whole number' --workers=-1
refuses gradnet-train '--k|"4x"|whole number' --k=4x
refuses gradnet-train '--k|""|such as 4' --k=
refuses gradnet-train '--k=value' --k
refuses gradnet-train '--rate|"25Gbp"|Gbps' --rate=25Gbp
refuses gradnet-train '--rate|"-1Gbps"|at least 1Mbps' --rate=-1Gbps
refuses gradnet-train '--rate|at least 1Mbps' --rate=0Gbps
refuses gradnet-train '--min-rto|"0ms"|time' --min-rto=0ms
refuses gradnet-train '--compute-scale|from 0.001' --compute-scale=0
refuses gradnet-train '--compute-scale|"nan"' --compute-scale=nan
refuses gradnet-train '--compute-jitter|from 0 to 1' --compute-jitter=2
refuses gradnet-train '--buffer|packets' --buffer=10x
refuses gradnet-train '--mtu|576' --mtu=100
refuses gradnet-train '--oversubscription|from 1' --oversubscription=0.5
refuses gradnet-train '--partition|multiple of 4' --partition=1001B
refuses gradnet-train '--loss|hostN:value' --loss=worker3:0.01
refuses gradnet-train '--loss|from 1e-09 to 1' --loss=host3:1.5
refuses gradnet-train 'no host99|host15' --loss=host99:0.01
refuses gradnet-train 'no worker8|worker7' --straggler=worker8:2
refuses gradnet-train '--model|"resnet5"|known:|resnet50|vgg16' --model=resnet5
refuses gradnet-train '--transport|"tcp"|known:|cubic|dctcp|newreno' --transport=tcp
refuses gradnet-train '--selector|known:|flow-hash|random|round-robin' --selector=hash
refuses gradnet-train '--workload|known:|ps|ring' --workload=allreduce
refuses gradnet-train 'unknown option|--wokers|--workers' --wokers=8
refuses gradnet-train 'expected an option' workers=8
refuses gradnet-train '--validate: takes no value' --validate=yes
refuses gradnet-train 'ns-3 has no such attribute' --ns3::TcpSocket::NoSuch=1
refuses gradnet-train 'ns-3 has no such attribute' --ns3::TcpSocket::SegmentSize=large
refuses gradnet-train 'option of its own' --ns3::TrainingWorker::Iterations=5
refuses gradnet-train 'at most 8960|8961' --ns3::TcpSocket::SegmentSize=8961
refuses gradnet-train 'does not hold a packet' --buffer=1kB
refuses gradnet-train '--buffer|"1.5p"|whole packets' --buffer=1.5p
refuses gradnet-train 'more than 1e8 tensors' --partition=4B
refuses gradnet-train 'simulated seconds' --compute-scale=0.001 --iterations=1000
refuses gradnet-compare '--networks|each once' --networks=clean,clean
refuses gradnet-train 'cannot read the file' --model=./no-such.csv
refuses gradnet-compare '--networks|known:|clean|gray-link' --networks=grey
refuses gradnet-compare '--baselines|known:|dctcp' --baselines=dctcp,reno
refuses gradnet-compare 'unknown option|--order' --order=fifo
refuses gradnet-compare '--seeds|whole number' --seeds=0
refuses gradnet-compare '32 workers|16 hosts' --topology=leaf-spine --networks=burst --servers=1

printf 'layer,forward_us,backward_us,gradient_bytes\na,1,1\n' >short.csv
refuses gradnet-train 'short.csv:2:|got|expected' --model=./short.csv
printf 'layer,forward_us,backward_us,gradient_bytes\na,1,x1,4\n' >figure.csv
refuses gradnet-train 'figure.csv:2:|got|x1|expected' --model=./figure.csv
printf 'layer,forward_us,backward_us,gradient_bytes\n' >empty.csv
refuses gradnet-train 'empty.csv:|expected' --model=./empty.csv
printf 'DATA\n3\na -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 4 1\n' >promise.txt
refuses gradnet-train 'promise.txt:|3|expected' --model=./promise.txt
printf 'DATA\n1\na -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 4\n' >fields.txt
refuses gradnet-train 'fields.txt:3:|expected' --model=./fields.txt
refuses gradnet-train 'refused-model-parallel.txt:|expected' --model="$models/astra-sim/refused-model-parallel.txt"

# Root may write anywhere, so the folder is one that nobody can make: below a file.
touch file
"$programs/gradnet-train" "${small[@]}" --out=file/out >stdout 2>stderr
status=$?
wrong=""
[ $status -eq 1 ] && [ "$(wc -l <stderr)" -eq 1 ] && grep -qF 'cannot write to the folder file/out' stderr ||
    wrong="status $status: $(cat stderr)"
report "a folder that cannot be written" "$wrong"

ends 0 gradnet-train 'valid|small: 3 layers' "${small[@]}" --validate
ends 0 gradnet-compare 'valid|network burst' --networks=clean,gray-link,burst,oversubscribed --workloads=ps,ring --validate
ends 0 gradnet-train 'valid' --model="$models/astra-sim/small-cnn.txt" --validate
for profile in "$models"/profiles/*.csv; do
    ends 0 gradnet-train 'valid' --model="$(basename "$profile" .csv)" --validate
done
ends 0 gradnet-train 'note: ns3::TcpSocket::SegmentSize|run/bound' "${small[@]}" --ns3::TcpSocket::SegmentSize=536
ends 2 gradnet-train 'stalled|worker0 -> server0|of 40000 B received' "${small[@]}" --loss=host15:1 --stall-time=50ms
ends 0 gradnet-train 'run/bound' "${small[@]}" --aggregation-rate=1Mbps --stall-time=10ms --iterations=1 --warm-up=0
ends 0 gradnet-train 'run/bound' "${small[@]}" --ns3::TcpSocket::SegmentSize=8960
printf 'layer,forward_us,backward_us,gradient_bytes\nconv\xe9,1,1,4\n' >latin1.csv
ends 2 gradnet-train 'stalled|worker0' --model=./latin1.csv --servers=1 --loss=host15:1 --stall-time=50ms --out=latin1
ends 2 gradnet-compare 'stalled|"clean, |tensors under way' "${small[@]}" --networks=clean --stall-time=1us

# The same seed: the same bytes in every file. Another seed: others.
same() { # name, arguments
    local name=$1 wrong=""
    shift
    "$programs/gradnet-train" "${small[@]}" "$@" --out=first >/dev/null &&
        "$programs/gradnet-train" "${small[@]}" "$@" --out=second >/dev/null &&
        "$programs/gradnet-train" "${small[@]}" "$@" --out=other --seed=2 >/dev/null || wrong="a run failed"
    diff -r first second >/dev/null || wrong="$wrong; the same seed gave other files"
    [ "$(ls first | wc -l)" -eq 4 ] || wrong="$wrong; wrote $(ls first)"
    for file in summary.json iterations.csv tensors.csv; do
        ! cmp -s first/$file other/$file || wrong="$wrong; another seed gave the same $file"
    done
    rm -rf first second other
    report "$name" "$wrong"
}
same "determinism, parameter server" --loss=host0:0.01 --selector=random --order=priority
same "determinism, ring" --workload=ring --loss=host0:0.01
same "determinism, leaf-spine" --topology=leaf-spine --selector=round-robin --transport=cubic

ends 0 gradnet-compare 'network clean|network gray-link|+ priority order 200kB|+ spraying|bound' "${small[@]}" \
    --networks=clean,gray-link --baselines=dctcp,newreno --seeds=2 --out=compared
[ "$(wc -l <compared/comparison.csv)" -eq 25 ] && wrong="" || wrong="expected a heading and 2 x 6 x 2 lines"
report "comparison.csv" "$wrong"
mkdir traces
ends 0 gradnet-train 'run/bound' "${small[@]}" --pcap=traces
[ "$(ls traces | wc -l)" -eq 16 ] && wrong="" || wrong="expected a trace for each of 16 hosts: $(ls traces)"
report "traces" "$wrong"

printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
