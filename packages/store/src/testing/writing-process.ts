// A process that writes without pause until it is killed or its disk fails; the tests of LevelStore
// kill it. Prints one line per answer: `acked <revision> <key> <data>`, and `failed <error>` at the
// end.
import { systemClock, systemRandom } from "@kintsugi/clock";
import { putData } from "../testing/changes.ts";
import { LevelStore } from "../level/level-store.ts";

const writers = 8;
const directory = process.argv[2] ?? "";
const store = await LevelStore.open({ directory, clock: systemClock, random: systemRandom, ballastBytes: 0 });
say(`opened ${store.revision()}`);

try {
  await Promise.race([store.failed, ...Array.from({ length: writers }, (_, writer) => writeForEver(writer))]);
} catch (error) {
  say(`failed ${error instanceof Error ? error.name : String(error)}`);
  process.exitCode = 3;
}

async function writeForEver(writer: number): Promise<never> {
  for (let round = 0; ; round++) {
    const key = `core/pods/default/${writer}-${round % 20}`;
    const data = `${round}-${"x".repeat(500)}`;
    const { revision } = await putData(store, key, data);
    say(`acked ${revision} ${key} ${round}`);
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
