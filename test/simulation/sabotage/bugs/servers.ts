import type { PlantedBug } from "../planted-bug.ts";

const replica = "packages/store/src/replicated/replica.ts";
const committer = "packages/store/src/commit/committer.ts";
const life = "three servers share a log";

/** Bugs of servers that share a log. */
export const serverBugs: readonly PlantedBug[] = [
  {
    name: "a read at a server does not wait until memory shows the head of the log",
    file: replica,
    find: "      await this.reached(head.revision, freshnessTimeoutMs);\n",
    replace: "",
    caughtBy: "S6",
    orBy: "S2",
    life,
    seed: 1,
  },
  {
    name: "reads at a server share a read of the head that is on its way already",
    file: replica,
    find: "    await this.#reading?.catch(() => {});\n",
    replace: "    if (this.#reading !== undefined) return await this.#reading;\n",
    caughtBy: "S2",
    life,
    seed: 1,
  },
  {
    name: "a server commits over any head of the log, not over the one that it has decided over",
    file: replica,
    find: "log.append(expected, commit).then(",
    replace: "log.head().then((any) => log.append(any, commit)).then(",
    caughtBy: "replicas agree",
    life,
    seed: 1,
  },
  {
    name: "a server takes any commit behind its head for its own, and does not look at the nonce",
    file: replica,
    find: 'head.nonce === pending.nonce ? "appended" : "overtaken"',
    replace: '"appended"',
    caughtBy: "S1",
    life,
    seed: 4,
  },
  {
    name: "a server takes its own commit, whose answer was lost, for another's, and decides again",
    file: replica,
    find: 'head.nonce === pending.nonce ? "appended" : "overtaken"',
    replace: '"overtaken"',
    caughtBy: "replicas serve",
    orBy: "S2",
    life,
    seed: 1,
  },
  {
    name: "a server that was overtaken answers as if its batch had been taken",
    file: committer,
    find: ' === "overtaken") continue;',
    replace: ' === "overtaken") for (const answer of answers) answer();',
    caughtBy: "S1",
    life,
    seed: 2,
  },
  {
    name: "a server shows the commits of others without the objects that they replaced",
    file: replica,
    find: "const before = entries.has(key) ? entries.get(key) : state.find(key);",
    replace: "const before = entries.get(key);",
    caughtBy: "replicas serve",
    life,
    seed: 1,
  },
  {
    name: "a watch at a server does not wait for a revision that another server has shown",
    file: replica,
    find: "    if (state.revision >= revision) return Promise.resolve();\n",
    replace: "    if (state.revision >= revision || timeoutMs > 0) return Promise.resolve();\n",
    caughtBy: "S2",
    orBy: "S5",
    life,
    seed: 1,
  },
  {
    name: "a server answers reads without a resourceVersion from memory as it is",
    file: "apps/api-server/src/verbs/await-state.ts",
    find: 'if (token === "" && text === "") return store.fresh();',
    replace: 'if (token === "" && text === "") return Promise.resolve();',
    caughtBy: "S2",
    orBy: "S6",
    life,
    seed: 3,
  },
];
