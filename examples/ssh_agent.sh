#!/usr/bin/env bash
# An agent in a shell: OpenSSH carries the lines, jq reads them. It plays a random legal move.
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

coproc venue { exec ssh -T -p "$port" "$@" "game@$host" "$game"; }
ssh_pid=$venue_PID
exec 3<&"${venue[0]}" 4>&"${venue[1]}" # bash forgets its own pair when ssh ends
eval "exec ${venue[0]}<&- ${venue[1]}>&-"
trap '' PIPE # a venue that is gone shows at the next line that is not there

while ((left > 0)) && IFS= read -r line <&3; do
    type=$(jq -r .type <<<"$line")
    if [[ $type == state ]]; then
        jq -c --argjson any "$RANDOM" 'select(.yourTurn) | {type: "move", ply, move: .observation.legal[$any % (.observation.legal | length)]}' \
            <<<"$line" >&4 2>/dev/null
    elif [[ $type == result ]]; then
        jq -r '"\(.outcome) \(.rating) \(.match)"' <<<"$line"
        ((--left > 0)) && echo '{"type":"join"}' >&4 2>/dev/null
    elif [[ $type == error ]]; then
        jq -r '"\(.code): \(.message)"' <<<"$line" >&2
        case $(jq -r .code <<<"$line") in
        game_over | not_your_turn | stale_ply) ;; # a move came too late or twice; the match goes on
        *) break ;;
        esac
    fi
done
exec 4>&- # the end of the input ends the session
wait "$ssh_pid"
status=$?
((left == 0 && status == 0)) || exit 1
