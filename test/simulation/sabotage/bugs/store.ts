import type { PlantedBug } from "../planted-bug.ts";

const store = "packages/store/src";

/** Bugs of the store. */
export const storeBugs: readonly PlantedBug[] = [
  {
    name: "writes are answered before they are on the disk",
    file: `${store}/commit/committer.ts`,
    find: "          if ((await this.#deps.log.append(changes)) ===",
    replace:
      "          for (const answer of answers) answer();\n          if ((await this.#deps.log.append(changes)) ===",
    caughtBy: "writes-are-durable",
    run: "the api-server's machine loses power",
    seed: 1,
  },
  {
    name: "the store does not wait for the end of a write to the log",
    file: `${store}/log/revision-log.ts`,
    find: "      await written;\n",
    replace: "      written.catch(() => {});\n",
    caughtBy: "writes-are-durable",
    run: "the api-server's machine loses power",
    seed: 1,
  },
  {
    name: "HEAD is overwritten in place, without a second slot",
    file: `${store}/log/head.ts`,
    find: "this.#sequence % 2 === 0 ? slotOffsets[0] : slotOffsets[1]",
    replace: "slotOffsets[0]",
    caughtBy: "writes-are-durable",
    run: "the api-server's machine loses power",
    seed: 15,
  },
  {
    name: "HEAD is written before the log",
    file: `${store}/log/revision-log.ts`,
    find: "const written = engine.write(operations, { sync: true });",
    replace:
      "await this.#deps.headFile.write({ ...this.#head, revision, hash: digestToHex(hash) });\n const written = engine.write(operations, { sync: true });",
    caughtBy: "writes-are-durable",
    run: "the api-server's machine loses power",
    seed: 1,
  },
  {
    name: "the log is written without an fsync",
    file: `${store}/log/revision-log.ts`,
    find: "const written = engine.write(operations, { sync: true });",
    replace: "const written = engine.write(operations, { sync: false });",
    caughtBy: "writes-are-durable",
    run: "the api-server's machine loses power",
    seed: 1,
  },
  {
    name: "HEAD is not synced, and therefore does not reveal that the log has lost its end",
    file: `${store}/log/head.ts`,
    find: "new HeadFile(await disk.openFile(headFileName, { sync: true }), head.sequence)",
    replace: "new HeadFile(await disk.openFile(headFileName, { sync: false }), head.sequence)",
    caughtBy: "writes-are-durable",
    run: "the log loses its end in a power cut",
    seed: 1,
  },
  {
    name: "compaction removes current entries with the entries that they replaced",
    file: `${store}/log/ledger.ts`,
    find: "(tombstone ? [previous, by] : [previous])",
    replace: "[previous, by]",
    caughtBy: "writes-are-durable",
    run: "the log is compacted, and the api-server is killed",
    seed: 1,
  },
  {
    name: "a watch from a revision that is no longer retained silently begins at the oldest retained change",
    file: `${store}/state/change-window.ts`,
    find: "if (revision < this.#floor) {\n      throw",
    replace: "if (revision < 0) {\n      throw",
    caughtBy: "watches-are-complete",
    orBy: "lists-are-snapshots",
    run: "clients resume late",
    seed: 1,
  },
];
