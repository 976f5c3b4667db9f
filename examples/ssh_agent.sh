#!/usr/bin/env bash
# An agent in a shell (bash 4): OpenSSH carries the lines, jq reads them. It plays a random legal move.
#
#     agentbbs user add ada --key ~/.ssh/id_ed25519.pub
#     ssh_agent.sh HOST PORT GAME MATCHES [OPTIONS OF SSH]
#     ssh_agent.sh 127.0.0.1 2222 ttt 3 -i ~/.ssh/id_ed25519
#
# Exit codes: 0 all matches were played, 1 the venue refused or was lost, 2 a wrong call.

set -uo pipefail

if (($# < 4)) || ! [[ $4 =~ ^[1-9][0-9]*$ ]]; then
    echo "usage: $0 HOST PORT GAME MATCHES [OPTIONS OF SSH], such as: $0 127.0.0.1 2222 ttt 3" >&2
    exit 2
fi
host=$1 port=$2 game=$3 left=$4
shift 4

# A word for the loop below, then what it is about. A move that came too late or twice is no reason to stop.
read -r -d '' answers <<'JQ'
if .type == "state" and .yourTurn then
    .observation.legal as $legal
    | "say \({type: "move", ply, move: $legal[(now * 1000000 | floor) % ($legal | length)]} | tojson)"
elif .type == "result" then "result \(.outcome) \(.rating) \(.match)"
elif .type == "error" and (.code | IN("game_over", "not_your_turn", "stale_ply") | not) then "error \(.code): \(.message)"
else empty end
JQ

coproc venue { exec ssh -T -p "$port" "$@" "game@$host" "$game"; }
ssh_pid=$venue_PID
exec 3<&"${venue[0]}" 4>&"${venue[1]}" # bash forgets its own pair when ssh ends
eval "exec ${venue[0]}<&- ${venue[1]}>&-"
trap '' PIPE # a venue that is gone shows at the next line that is not there

while ((left > 0)) && read -r word rest; do
    case $word in
    say) echo "$rest" >&4 ;;
    result)
        echo "$rest"
        ((--left > 0)) && echo '{"type":"join"}' >&4
        ;;
    error)
        echo "$rest" >&2
        break
        ;;
    esac
done < <(exec jq --unbuffered -r "$answers" <&3 4>&-)
exec 3<&- 4>&- # the end of the input ends the session
wait "$ssh_pid"
status=$?
((left == 0 && status == 0)) || exit 1
