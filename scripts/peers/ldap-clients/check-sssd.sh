#!/bin/sh
# Asks the system for a person whom sssd knows, in a mount namespace with configuration of its own.
# $1: the folder with sssd.conf; $2: the password, $3: the new one.
set -eu
folder=$1
cp -a /var/lib/sss "$folder/sss"
rm -f "$folder"/sss/mc/* "$folder"/sss/db/*
cp -a /etc/pam.d "$folder/pam.d"
printf 'auth required pam_sss.so\naccount required pam_sss.so\npassword required pam_sss.so\n' >"$folder/pam.d/gatehouse"
printf 'passwd: files sss\ngroup: files sss\n' >"$folder/nsswitch.conf"
mkdir "$folder/log"
mount --bind "$folder/sss" /var/lib/sss
mount --bind "$folder/pam.d" /etc/pam.d
mount --bind "$folder/log" /var/log/sssd
mount --bind "$folder/nsswitch.conf" /etc/nsswitch.conf
mount -t tmpfs none /run
/usr/sbin/sssd -i -c "$folder/sssd.conf" &
sssd=$!
trap 'kill $sssd; wait $sssd || true' EXIT
tries=0
until getent passwd ada >/dev/null; do
  tries=$((tries + 1))
  [ $tries -lt 60 ] || { cat "$folder"/log/*; exit 1; }
  sleep 0.5
done
getent passwd ada
getent group keepers
id -Gn ada
if getent passwd nobody-of-this-name; then exit 1; fi
if printf 'wrong\n' | pamtester gatehouse ada authenticate; then exit 1; fi
printf '%s\n' "$2" | pamtester gatehouse ada authenticate acct_mgmt
# Root cannot: the current password is asked for.
printf '%s\n%s\n%s\n' "$2" "$3" "$3" |
  setpriv --reuid="$(id -u ada)" --regid="$(id -g ada)" --clear-groups pamtester gatehouse ada chauthtok
printf '%s\n' "$3" | pamtester gatehouse ada authenticate
