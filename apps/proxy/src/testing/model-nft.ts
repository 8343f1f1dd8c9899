import type { Nft } from "../nft/nft.ts";

interface Table {
  readonly chains: Map<string, string[]>;
  readonly elements: Map<string, Set<string>>;
}

/**
 * The packet filter as far as this proxy's scripts need it: one table, atomic scripts, and the
 * kernel's errors about names that are missing, already exist, or are still in use. Like a kernel
 * before 6.2 it counts a chain as used until a second after the rules that led to it were deleted.
 */
export class ModelNft implements Nft {
  readonly scripts: string[] = [];
  /** The error with which every script and every read fails. */
  failure: string | undefined;
  #table: Table = { chains: new Map(), elements: new Map() };
  readonly #usedUntilMs = new Map<string, number>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  chain(name: string): readonly string[] | undefined {
    return this.#table.chains.get(name);
  }

  get chainNames(): string[] {
    return [...this.#table.chains.keys()];
  }

  elements(of: string): string[] {
    return [...(this.#table.elements.get(of) ?? [])];
  }

  /** Changes the table as another program would. */
  tamper(change: (table: Table) => void): void {
    change(this.#table);
  }

  async apply(script: string): Promise<void> {
    if (this.failure !== undefined) throw new Error(this.failure);
    this.scripts.push(script);
    const before = this.#table;
    const table: Table = structuredClone(before);
    for (const line of script.split("\n").filter((each) => each !== ""))
      perform(table, line, (name) => this.#isUsed(table, name));
    this.#table = table;
    for (const verdict of [...before.elements.values()].flatMap((elements) => [...elements])) {
      const name = /goto (\S+)$/.exec(verdict)?.[1];
      if (name !== undefined && !this.#leadsTo(table, name)) this.#usedUntilMs.set(name, this.#nowMs() + 1_000);
    }
  }

  async present() {
    if (this.failure !== undefined) throw new Error(this.failure);
    const sets = [...this.#table.elements.keys()].filter((name) => name.startsWith("affinity-"));
    return { chains: new Set(this.#table.chains.keys()), affinitySets: new Set(sets) };
  }

  #isUsed(table: Table, name: string): boolean {
    return (
      this.#leadsTo(table, name) ||
      this.#leadsTo(this.#table, name) ||
      (this.#usedUntilMs.get(name) ?? 0) > this.#nowMs()
    );
  }

  #leadsTo({ chains, elements }: Table, name: string): boolean {
    const all = [...[...chains.values()].flat(), ...[...elements.values()].flatMap((each) => [...each])];
    return all.some((text) => text.split(/[\s,]+/).includes(name));
  }
}

function perform({ chains, elements }: Table, line: string, isUsed: (name: string) => boolean): void {
  const [verb, what, , table, name = "", ...rest] = line.split(" ");
  const fail = (why: string): never => {
    throw new Error(`${why}: ${line}`);
  };
  if (table !== "kube-proxy") fail("No such file or directory");
  const members = (text: string) => text.replace(/^\{ | \}$/g, "").split(", ");
  switch (`${verb} ${what}`) {
    case "add table":
      return;
    case "delete table":
      chains.clear();
      elements.clear();
      return;
    case "add chain":
      if (!chains.has(name)) chains.set(name, []);
      return;
    case "flush chain":
      if (!chains.has(name)) fail("No such file or directory");
      chains.set(name, []);
      return;
    case "delete chain":
      if (!chains.has(name)) fail("No such file or directory");
      if (isUsed(name)) fail("Device or resource busy");
      chains.delete(name);
      return;
    case "add rule": {
      const rule = rest.join(" ");
      for (const [, to = ""] of rule.matchAll(/(?:goto|jump) ([^\s,]+)/g))
        if (!chains.has(to)) fail("No such file or directory");
      for (const [, set = ""] of rule.matchAll(/@(\S+)/g)) if (!elements.has(set)) fail("No such file or directory");
      (chains.get(name) ?? fail("No such file or directory")).push(rule);
      return;
    }
    case "add map":
    case "add set":
      if (!elements.has(name)) elements.set(name, new Set());
      return;
    case "flush map":
    case "flush set":
      (elements.get(name) ?? fail("No such file or directory")).clear();
      return;
    case "delete set":
      if ([...chains.values()].flat().some((rule) => rule.includes(`@${name} `))) fail("Device or resource busy");
      if (!elements.delete(name)) fail("No such file or directory");
      return;
    case "add element":
      for (const element of members(rest.join(" "))) {
        const key = element.split(" : ")[0] ?? "";
        const all = elements.get(name) ?? fail("No such file or directory");
        if ([...all].some((each) => each.split(" : ")[0] === key)) fail("File exists");
        const to = /goto (\S+)$/.exec(element)?.[1];
        if (to !== undefined && !chains.has(to)) fail("No such file or directory");
        all.add(element);
      }
      return;
    case "delete element":
      for (const element of members(rest.join(" ")))
        if (!elements.get(name)?.delete(element)) fail("No such file or directory");
      return;
    default:
      fail("syntax error");
  }
}
