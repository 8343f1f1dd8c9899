import type { ServerHttp2Session } from "node:http2";
import type { Clock } from "@kintsugi/clock";

// HTTP/2 lets a client repeat these actions at no cost to itself. Each has a limit:
//
//   requests that are reset immediately    nghttp2: 1,000 a connection, then 33 a second;
//                                          the register, for unknown clients
//   CONTINUATION without end               nghttp2: 8 frames; Node: 64 KB and 128 headers
//   frames that the protocol forbids       Node: 1,000; streams that are rejected: 100
//   answers that are not read              nghttp2: 1,000 acknowledgements that wait
//   memory of one session                  Node: 10 MB, then it rejects streams
//   PING and SETTINGS, answers read        here

/** Clients send a PING every few seconds, and change their settings once. */
const controlFramesMax = 500;
const windowMs = 10_000;

/** Ends a session that sends more control frames than any client needs. */
export function boundFloods(
  session: ServerHttp2Session,
  { clock, onFlood }: { clock: Pick<Clock, "monotonicMs">; onFlood: () => void },
): void {
  let since = clock.monotonicMs();
  let count = 0;
  const take = () => {
    const nowMs = clock.monotonicMs();
    if (nowMs - since >= windowMs) [since, count] = [nowMs, 0];
    if (++count !== controlFramesMax + 1) return;
    onFlood();
    session.destroy();
  };
  session.on("ping", take);
  session.on("remoteSettings", take);
}
