#!/bin/sh
# Installs Debian's programs that the journeys run, where one is missing: only root may.
set -eu
if [ -x /usr/bin/chromium-headless-shell ] && [ -x /usr/bin/redis-server ] &&
	ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then exit; fi
# At runlevel 1 none of them starts a service of its own.
export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
echo 'Installing Chromium, Redis and PostgreSQL …'
apt-get -qq update
apt-get -qq install --yes --no-install-recommends chromium-headless-shell redis-server postgresql
