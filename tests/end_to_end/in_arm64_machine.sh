#!/bin/sh
# in_arm64_machine.sh EDITION [ROOT [NN...]]: an edition of ./headway release --for aarch64 on arm64, where this machine is
# another: a whole one under QEMU, with Debian 12's kernel and programs for that processor, so that the jail and the
# sanitizers are those of such hardware, at about a tenth of its speed. What the edition's README says is typed: a mistake in
# 01 is named, the solutions of 01 to 05 and 07 (or of NN...) get full points in the jail, and the labs run.
# ROOT: the bare Debian with what ./headway would install, which would take long there; kept for the next time. Takes root,
# mmdebstrap, qemu-user-static with its binfmt entry for making ROOT (update-binfmts --enable qemu-aarch64) and
# qemu-system-arm, 4 GiB of memory and an hour; by hand, since a mirror must be reached.
set -eu

edition=${1:?usage: in_arm64_machine.sh EDITION [ROOT [NN...]]}
checkout=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd -P)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
root=${2:-$place/root}
shift
[ $# = 0 ] || shift
[ $# != 0 ] || set -- 01 02 03 04 05 07
[ -d "$root" ] || mmdebstrap --quiet --arch=arm64 --variant=minbase \
    --include=g++,cmake,ninja-build,bubblewrap,linux-image-arm64 bookworm "$root"

cp -R "$root" "$place/disk"
cp -R "$edition" "$place/disk/course"
cp -R "$checkout/solutions" "$place/disk/solutions"
echo "$*" >"$place/disk/wanted"
# Emulated, everything computes for longer: limits on time are twenty times as wide, and no others.
awk '/seconds = / { for (i = 1; i <= NF; i++) if ($i == "=") $(i + 1) *= 20 } { print }' "$checkout/policy.toml" \
    >"$place/disk/policy.toml"
cat >"$place/disk/play" <<'PLAY'
#!/bin/sh
export PATH=/usr/bin:/bin:/usr/sbin:/sbin LC_ALL=C.UTF-8 HOME=/root HEADWAY_POLICY=/policy.toml NO_COLOR=1
mountpoint -q /proc || mount -t proc proc /proc
mountpoint -q /sys || mount -t sysfs sysfs /sys
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mount -t tmpfs -o mode=1777 tmpfs /tmp
mkdir -p /dev/pts /dev/shm
mount -t devpts devpts /dev/pts
mount -t tmpfs tmpfs /dev/shm
cd /course || exit
# run STATUS COMMAND...: it, and whether it ended with that.
run() {
    wanted=$1
    shift
    echo "\$ $*"
    status=0
    "$@" </dev/null 2>&1 || status=$?
    echo "[ended with $status]"
    [ "$status" = "$wanted" ] || echo "NOT SO: it ends with $wanted elsewhere"
}
echo "== $(uname -srm)"
run 0 ./headway doctor
run 1 ./headway --yes grade
sed 's| / std::sqrt(d);|;|' /solutions/01_single_head/single_head.cpp >exercises/01_single_head/single_head.cpp
run 1 ./headway grade 01
# The labs take 05 and 07.
for exercise in $(cat /wanted) 05 07; do cp /solutions/${exercise}_*/*.cpp exercises/${exercise}_*/; done
for exercise in $(cat /wanted); do run 0 ./headway grade "$exercise"; done
run 0 ./headway protections
for lab in cost train prune gpt2; do run 0 ./headway lab $lab --quick; done
echo '== the end'
sync
echo o >/proc/sysrq-trigger
sleep 60
PLAY
chmod +x "$place/disk/play"
mke2fs -q -t ext4 -d "$place/disk" "$place/disk.img" 6G

qemu-system-aarch64 -machine virt -cpu cortex-a57 -accel tcg,thread=multi -smp 2 -m 4096 -nic none -nographic -no-reboot \
    -kernel "$(ls "$root"/boot/vmlinuz-*)" -initrd "$(ls "$root"/boot/initrd.img-*)" \
    -append 'root=/dev/vda rw console=ttyAMA0 init=/play quiet' -drive "file=$place/disk.img,format=raw,if=virtio" \
    </dev/null | tee "$place/said"
grep -q '^== the end' "$place/said" && ! grep -q '^NOT SO' "$place/said"
