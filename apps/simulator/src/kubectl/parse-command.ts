import { nearestWord } from "@kintsugi/yaml-text";
import { type FlagName, readWords, splitWords } from "./command-words.ts";
import { type KubectlCommand, type Output, type KubectlTarget, UnusableCommand } from "./kubectl-command.ts";

/** The words of a command after its verb. */
interface Given {
  readonly operands: readonly string[];
  readonly flags: Readonly<Partial<Record<FlagName, string>>>;
}

type Is<Verb extends KubectlCommand["is"]> = Extract<KubectlCommand, { is: Verb }>;

const readers = {
  get: (given): Is<"get"> => ({
    is: "get",
    target: targetOf("get", given),
    output: outputOf(given),
    selector: given.flags.selector ?? "",
  }),
  describe: (given) => ({ is: "describe", target: targetOf("describe", given) }),
  logs: readLogs,
  explain: readExplain,
  events: ({ flags }) => ({ is: "events", namespace: namespaceOf(flags), about: flags.for ?? "" }),
  scale: readScale,
  cordon: (given) => ({ is: "cordon", node: nodeOf("cordon", given) }),
  uncordon: (given) => ({ is: "uncordon", node: nodeOf("uncordon", given) }),
  drain: (given): Is<"drain"> => ({
    is: "drain",
    node: nodeOf("drain", given),
    ignoresDaemonSets: given.flags["ignore-daemonsets"] === "true",
    deletesEmptyDirs: given.flags["delete-emptydir-data"] === "true",
    force: given.flags.force === "true",
  }),
  delete: readDelete,
  edit: (given) => ({ is: "edit", target: namedTarget("edit", given) }),
  apply: readApply,
} satisfies Record<string, (given: Given) => KubectlCommand>;

export const verbs = Object.keys(readers);

/** Parses a command line. @throws UnusableCommand with a sentence about the correct form. */
export function parseCommand(line: string): KubectlCommand {
  const [verb = "", ...words] = splitWords(line);
  if (verb === "") throw new UnusableCommand(`write a command: ${verbs.join(", ")}`);
  if (!isVerb(verb)) {
    const near = nearestWord(verb, verbs);
    const hint = near === undefined ? "" : `did you mean "${near}"? `;
    throw new UnusableCommand(`"${verb}" is not a command here; ${hint}the commands are ${verbs.join(", ")}`);
  }
  return readers[verb](readWords(verb, words));
}

function isVerb(word: string): word is keyof typeof readers {
  return Object.hasOwn(readers, word);
}

function readLogs({ operands, flags }: Given): Is<"logs"> {
  const [pod = "", container, ...more] = operands.map((each) => each.replace(/^(pods?|po)\//, ""));
  if (pod === "" || more.length > 0) throw new UnusableCommand("write the pod: logs POD");
  return {
    is: "logs",
    namespace: namespaceOf(flags),
    pod,
    container: flags.container ?? container ?? "",
    tailLines: flags.tail === undefined ? undefined : wholeNumber("tail", flags.tail),
    previous: flags.previous === "true",
  };
}

function readExplain({ operands: [path = "", ...more] }: Given): Is<"explain"> {
  if (path === "") throw new UnusableCommand("write a kind or a field: explain pod.spec.tolerations");
  if (more.length > 0)
    throw new UnusableCommand(
      "explain describes the fields of a kind, as in explain pod.spec.tolerations; the page explains an object in its tab Why",
    );
  return { is: "explain", path: path.split(".").filter((part) => part !== "") };
}

function readScale(given: Given): Is<"scale"> {
  const { replicas } = given.flags;
  if (replicas === undefined) throw new UnusableCommand("write the number: scale deployment/web --replicas=8");
  return { is: "scale", target: namedTarget("scale", given), replicas: wholeNumber("replicas", replicas) };
}

function readDelete(given: Given): Is<"delete"> {
  const { flags } = given;
  const period = flags["grace-period"];
  const byOtherFlags = flags.force === "true" ? 0 : flags.now === "true" ? 1 : undefined;
  const graceSeconds = period === undefined ? byOtherFlags : wholeNumber("grace-period", period);
  return { is: "delete", target: namedTarget("delete", given), graceSeconds };
}

function readApply({ operands, flags }: Given): Is<"apply"> {
  if (operands.length > 0) throw new UnusableCommand("apply takes the objects of the editor: write apply");
  return { is: "apply", namespace: namespaceOf(flags) };
}

const outputs: readonly Output[] = ["wide", "name", "yaml", "json"];

function outputOf({ flags: { output } }: Given): Output {
  if (output === undefined) return "table";
  const found = outputs.find((each) => each === output);
  if (found === undefined) throw new UnusableCommand(`--output must be one of ${outputs.join(", ")}`);
  return found;
}

function namespaceOf({ namespace = "default" }: Given["flags"]): string {
  return namespace;
}

/** Parses "pods", "pods web-0 web-1", "deploy/web deploy/db" of one kind. */
function targetOf(verb: string, { operands, flags }: Given): KubectlTarget {
  const [first = "", ...others] = operands;
  if (first === "") throw new UnusableCommand(`write a kind: ${verb} pods`);
  const place = { namespace: namespaceOf(flags), allNamespaces: flags["all-namespaces"] === "true" };
  if (!first.includes("/")) return { type: first, names: others, ...place };
  const pairs = operands.map((each) => each.split("/"));
  const [type = ""] = pairs[0] ?? [];
  const isFine = pairs.every((pair) => pair.length === 2 && pair[0] === type && pair[1] !== "");
  if (!isFine) throw new UnusableCommand(`write KIND/NAME of one kind: ${verb} ${type}/NAME`);
  return { type, names: pairs.map(([, name = ""]) => name), ...place };
}

function namedTarget(verb: string, given: Given): KubectlTarget {
  const target = targetOf(verb, given);
  if (target.names.length === 0) throw new UnusableCommand(`write a name: ${verb} ${target.type} NAME`);
  return target;
}

function nodeOf(verb: string, { operands }: Given): string {
  const [node = "", ...more] = operands.map((each) => each.replace(/^(nodes?|no)\//, ""));
  if (node === "" || more.length > 0) throw new UnusableCommand(`write one node: ${verb} node-1`);
  return node;
}

const numberMax = 100_000;

function wholeNumber(flag: string, text: string): number {
  if (/^\d{1,6}$/.test(text) && Number(text) <= numberMax) return Number(text);
  throw new UnusableCommand(`--${flag} must be a whole number from 0 to ${numberMax}`);
}
