// A process that listens on the bus and prints its events, one line each; a test pauses it
// (SIGSTOP) so that it lags. Its only argument is JSON: { url, ca, accountSeed, filter }.
import { silentLogger } from "@kintsugi/api";
import { systemClock } from "@kintsugi/clock";
import { NatsBus, userJwt } from "@kintsugi/watch-stream";
import { eventually } from "../run-program.ts";

interface Arguments {
  url: string;
  ca: string;
  accountSeed: string;
  filter: string;
}

const { url, ca, accountSeed, filter } = JSON.parse(process.argv[2] ?? "{}") as Arguments;
const permissions = { publish: [], subscribe: [filter] };
const bus = new NatsBus(
  {
    clock: systemClock,
    log: silentLogger,
    credentials: async (publicKey) => {
      const user = { publicKey, name: "listener", permissions };
      return { servers: [url], jwt: userJwt(accountSeed, user, { issuedAtMs: systemClock.nowMs() }), cluster: "lab" };
    },
  },
  { name: "listener", ca },
);
void bus.run(new AbortController().signal);
await eventually("the listener is connected", async () => bus.connected());
let heard = 0;
await bus.subscribe(
  filter,
  {
    onMessage: (_, payload) => {
      heard++;
      if (payload.byteLength < 100) console.log(`heard ${Buffer.from(payload).toString()} after ${heard}`);
    },
    onInterrupted: (reason) => console.log(`interrupted ${reason}`),
  },
  new AbortController().signal,
);
console.log("listening");
