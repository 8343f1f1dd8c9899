import type { SourceFile } from "./source-files.ts";

/** A name that two files export, with the paths of all these files. */
export interface SharedName {
  readonly name: string;
  readonly paths: readonly string[];
}

/** A reason for which several files may export a name, with the names to which it applies. */
export interface Reason {
  readonly because: string;
  readonly names: readonly string[];
}

/**
 * Lists the names that a file itself declares and exports; re-exported names belong to another
 * file.
 */
export function exportedNames(text: string): string[] {
  const declared = text.matchAll(
    /^export (?:declare )?(?:abstract )?(?:async )?(?:const|let|class|interface|type|enum|function\*?) (\w+)/gm,
  );
  const listed = [...text.matchAll(/^export (?:type )?\{([^}]*)\};/gm)].flatMap(([, names = ""]) =>
    names.split(",").map((each) => each.trim().split(/\s+/).at(-1) ?? ""),
  );
  const names = [...declared].map(([, name = ""]) => name);
  const imported = new Set(
    [...text.matchAll(/^import [^;]*?\{([^}]*)\} from/gm)].flatMap(([, each = ""]) => each.match(/\w+/g) ?? []),
  );
  const own = listed.filter((name) => name !== "" && !imported.has(name));
  return [...new Set([...names, ...own])];
}

/** Every name that more than one of the files exports. */
export function sharedNames(files: readonly SourceFile[]): SharedName[] {
  const pathsByName = new Map<string, string[]>();
  for (const { path, text } of files)
    for (const name of exportedNames(text)) pathsByName.set(name, [...(pathsByName.get(name) ?? []), path]);
  return [...pathsByName]
    .filter(([, paths]) => paths.length > 1)
    .map(([name, paths]) => ({ name, paths: paths.toSorted() }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

// One word, one meaning (STYLE.md, 3). A new name must differ from the words in this list, which
// gets shorter, not longer.
export const reasonsToShare: readonly Reason[] = [
  {
    because: "modules of Node keep their names where the playground has its own, and a command joins a machine",
    names: ["join"],
  },
  {
    because: "each program has its own table of options, and runs other programs in its own way",
    names: ["options", "program", "readOptions", "RunOptions", "runProgram"],
  },
  {
    because: "the kinds have Kubernetes's words, and the container runtime's interface and other protocols have theirs",
    names: [
      "Container",
      "ContainerState",
      "ContainerStats",
      "ContainerStatus",
      "DeleteOptions",
      "Endpoint",
      "NodeSpec",
      "Service",
      "ServicePort",
      "Termination",
      "UserInfo",
      "WatchEvent",
    ],
  },
  {
    because: "tests build the objects of their own workspace, each with the traits that matter there",
    names: [
      "aDeployment",
      "aNode",
      "aPod",
      "aReplicaSet",
      "aService",
      "aSlice",
      "boundPod",
      "deployment",
      "NodeTraits",
      "PodTraits",
    ],
  },
  {
    because: "the chaos and fuzz tests do to real processes what the simulation does to virtual ones",
    names: [
      "busFaults",
      "clockFaults",
      "diskFaults",
      "Fault",
      "isRunning",
      "killNow",
      "Load",
      "LoadDeps",
      "loadObjects",
      "LoadOptions",
      "networkFaults",
      "pick",
      "RevisionLog",
      "runtimeFaults",
      "World",
    ],
  },
  {
    because: "a check of the simulation or of a bench shares no code with the service that it checks",
    names: [
      "bringUp",
      "Call",
      "CommitLog",
      "configMaps",
      "Connection",
      "findKubectls",
      "isReady",
      "Journal",
      "measureNames",
      "nameOf",
      "NamesOptions",
      "nodeOf",
      "Operation",
      "Outcome",
      "pods",
      "repository",
      "Selector",
      "Step",
      "storeResource",
      "takeDown",
      "Verb",
    ],
  },
  {
    because:
      "the entry points of two workspaces that never import each other have options, deps and messages by these names",
    names: [
      "Admission",
      "AdmissionDeps",
      "Answer",
      "CallOptions",
      "Candidate",
      "Change",
      "ControlPlaneOptions",
      "createProxy",
      "Decision",
      "decodeMessage",
      "Disruption",
      "encodeMessage",
      "envelopeOf",
      "eventually",
      "FileKind",
      "Identity",
      "ListOptions",
      "MemoryBus",
      "ObjectWriter",
      "Query",
      "readLog",
      "ReadLogDeps",
      "Transport",
      "TriggerTimes",
      "UpgradeRequest",
      "Usage",
      "WriteOptions",
      "ZoneOptions",
    ],
  },
  {
    because: "the better of the two words is still to be found",
    names: [
      "describeObject",
      "importImages",
      "keyOf",
      "list",
      "nodeAddresses",
      "parseDurationMs",
      "planEviction",
      "required",
      "revisionOf",
      "truncated",
      "userAgent",
    ],
  },
];
