import { nearestWord } from "@kintsugi/yaml-text";
import { type FlagName, flagsLast, readWords, splitWords } from "./command-words.ts";
import {
  type KubectlCommand,
  type KubectlTarget,
  type MarkedValues,
  type Output,
  patchForms,
  rolloutActions,
  UnusableCommand,
} from "../kubectl-command.ts";
import { readTaints } from "./parse-taints.ts";

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
    fieldSelector: given.flags["field-selector"] ?? "",
    showsLabels: given.flags["show-labels"] === "true",
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
  taint: readTaint,
  rollout: readRollout,
  patch: readPatch,
  set: readSetImage,
  label: (given) => ({ is: "label", ...readValues("label", given) }),
  annotate: (given) => ({ is: "annotate", ...readValues("annotate", given) }),
  create: readCreateJob,
} satisfies Record<string, (given: Given) => KubectlCommand>;

export const verbs = Object.keys(readers);

/** Parses a command line. @throws UnusableCommand with a sentence about the correct form. */
export function parseCommand(line: string): KubectlCommand {
  const [verb = "", ...words] = flagsLast(splitWords(line));
  if (verb === "" || verb.startsWith("-")) throw new UnusableCommand(`write a command: ${verbs.join(", ")}`);
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
  const [first = "", container, ...more] = operands;
  const [name = "", type = "pods", ...parts] = first.split("/").toReversed();
  if (name === "" || more.length + parts.length > 0) throw new UnusableCommand("write the pod: logs POD");
  return {
    is: "logs",
    namespace: namespaceOf(flags),
    owner: { type, name },
    container: flags.container ?? container ?? "",
    allContainers: flags["all-containers"] === "true",
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

function readTaint({ operands: [kind = "", ...words], flags }: Given): Is<"taint"> {
  const isTaint = (word: string) => /[:=]|-$/.test(word);
  const nodes = words.filter((word) => !isTaint(word));
  const changes = words.filter(isTaint);
  if (!/^(nodes?|no)$/.test(kind) || nodes.length === 0 || changes.length === 0)
    throw new UnusableCommand(
      "write the node and the taint: taint node node-1 KEY=VALUE:NoSchedule, or KEY:NoSchedule- to remove it",
    );
  return { is: "taint", nodes, taints: readTaints(changes), overwrite: flags.overwrite === "true" };
}

function readRollout(given: Given): Is<"rollout"> {
  const [word = "", ...operands] = given.operands;
  const action = rolloutActions.find((each) => each === word);
  if (action === undefined)
    throw new UnusableCommand(
      `write what to do: rollout ${rolloutActions.join(", rollout ")}, each with deployment/NAME`,
    );
  return { is: "rollout", action, target: namedTarget(`rollout ${action}`, { ...given, operands }) };
}

function readPatch(given: Given): Is<"patch"> {
  const { patch, type = "strategic", subresource = "" } = given.flags;
  if (patch === undefined)
    throw new UnusableCommand(`write the patch: patch deployment/web -p='{"spec":{"replicas":8}}'`);
  if (!isPatchForm(type)) throw new UnusableCommand(`--type must be one of ${Object.keys(patchForms).join(", ")}`);
  if (subresource !== "" && !/^(status|scale)$/.test(subresource))
    throw new UnusableCommand("--subresource must be status or scale");
  return { is: "patch", target: namedTarget("patch", given), form: type, patch: jsonOf(patch), subresource };
}

function isPatchForm(word: string): word is keyof typeof patchForms {
  return Object.hasOwn(patchForms, word);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UnusableCommand(`--patch must be JSON: ${(error as Error).message}`);
  }
}

const setImageForm = "set image deployment/web CONTAINER=IMAGE";

function readSetImage(given: Given): Is<"set"> {
  const [what, ...operands] = given.operands;
  if (what !== "image") throw new UnusableCommand(`set changes images here: ${setImageForm}`);
  const target = namedTarget("set image", { ...given, operands: operands.filter((word) => !word.includes("=")) });
  const pairs = operands.filter((word) => word.includes("=")).map((word) => splitAt(word, "="));
  if (pairs.length === 0 || pairs.some((pair) => pair.includes("")))
    throw new UnusableCommand(`write the image: ${setImageForm}`);
  return { is: "set", target, images: Object.fromEntries(pairs) };
}

/** Parses `KEY=VALUE`, or `KEY-` to remove the key. */
function readValues(verb: string, given: Given): MarkedValues {
  const isValue = (word: string) => word.includes("=") || word.endsWith("-");
  const pairs = given.operands.filter(isValue).map((word): [string, string | null] => {
    return word.includes("=") ? splitAt(word, "=") : [word.slice(0, -1), null];
  });
  const form = `${verb} ${verb === "label" ? "pod web-0" : "node node-1"} KEY=VALUE, or KEY- to remove it`;
  if (pairs.length === 0 || pairs.some(([key]) => key === "")) throw new UnusableCommand(`write the value: ${form}`);
  const target = namedTarget(verb, { ...given, operands: given.operands.filter((word) => !isValue(word)) });
  return { target, values: Object.fromEntries(pairs), overwrite: given.flags.overwrite === "true" };
}

function splitAt(word: string, separator: string): [string, string] {
  const at = word.indexOf(separator);
  return [word.slice(0, at), word.slice(at + separator.length)];
}

function readCreateJob({ operands: [kind, job = "", ...more], flags }: Given): Is<"create"> {
  const [type = "", cronJob = ""] = (flags.from ?? "").split("/");
  if (kind !== "job" || job === "" || more.length > 0 || !/^(cronjobs?|cj)$/.test(type) || cronJob === "")
    throw new UnusableCommand(
      "create makes the Job of a CronJob here: create job NAME --from=cronjob/NAME; other objects are applied from the editor",
    );
  return { is: "create", namespace: namespaceOf(flags), job, cronJob };
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
