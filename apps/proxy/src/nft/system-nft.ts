import { tableName } from "../ruleset/transaction.ts";
import { type ProgramFailure, runProgram } from "../run-program.ts";
import type { Nft } from "./nft.ts";

/**
 * Time limit of a call: a thousand Services load within seconds on a slow machine, and a call that
 * takes longer hangs.
 */
const timeoutMs = 60_000;
/** Size limit of the table's list without elements: about 100 bytes for each of 100,000 chains. */
const outputBytesMax = 64 * 1024 * 1024;
/**
 * Size limit of the error output, which repeats whole lines of the script and marks the position.
 */
const complaintLengthMax = 1_000;

/** The program `nft`, in this process's network namespace unless `command` enters another. */
export function nftIn(command: readonly string[]): Nft {
  const listed = async (...args: string[]) =>
    (JSON.parse(await run([...command, "-j", ...args])) as { nftables: Listed[] }).nftables;
  return {
    async apply(script) {
      await run([...command, "-f", "-"], script);
    },
    async present() {
      const names = { chains: new Set<string>(), affinitySets: new Set<string>() };
      const tables = await listed("list", "tables", "ip");
      if (!tables.some(({ table }) => table?.name === tableName)) return names;
      // Terse, because an affinity set has an element for each client.
      for (const { chain, set } of await listed("-t", "list", "table", "ip", tableName)) {
        if (chain !== undefined) names.chains.add(chain.name);
        if (set?.name.startsWith("affinity-")) names.affinitySets.add(set.name);
      }
      return names;
    },
  };
}

interface Named {
  name: string;
}

interface Listed {
  table?: Named;
  chain?: Named;
  set?: Named;
}

async function run(command: readonly string[], input?: string): Promise<string> {
  const options = { ...(input === undefined ? {} : { input }), timeoutMs, outputBytesMax };
  return runProgram(command, options).catch((cause: ProgramFailure) => {
    const isMissing = cause.code === "ENOENT";
    const said = isMissing ? "it is not installed (package nftables)" : cause.stderr.trim() || cause.message;
    throw new Error(`${command.join(" ")}: ${said.slice(0, complaintLengthMax)}`, { cause });
  });
}
