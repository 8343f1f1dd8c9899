import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { builtInKinds, type FieldDescription, type Kind, type TypeDescription } from "@kintsugi/api";
import type { Document } from "./plan-pages.ts";

/** Programs whose flags have pages, by their bundles. */
const services = [
  "api-server",
  "scheduler",
  "controller-manager",
  "kubelet",
  "proxy",
  "csi-controller",
  "csi-lab",
  "device-lab",
  "hollow",
] as const;
const helpOptions = { encoding: "utf8", timeout: 30_000, env: { ...process.env, COLUMNS: "100" } } as const;

/**
 * Pages whose source is the programs and schemas themselves: the flags of each service, the
 * commands of `kintsugi`, and the fields of each kind.
 * @param repository with bundled programs
 */
export function generatedPages(repository: string): Document[] {
  return [
    { path: "docs/reference/flags.md", text: flagsPage(repository) },
    { path: "docs/reference/commands.md", text: commandsPage(repository) },
    { path: "docs/reference/kinds.md", text: kindsPage(builtInKinds) },
    ...builtInKinds.map((kind) => ({ path: kindPath(kind), text: kindPage(kind) })),
  ];
}

function flagsPage(repository: string): string {
  const parts = services.map((service) => {
    const program = join(repository, "apps", service, "bundle/main.mjs");
    return `## ${service}\n\n${codeBlock(execFileSync(process.execPath, [program, "--help"], helpOptions))}`;
  });
  return `# Flags of the services\n\nEach service prints this with \`--help\`. Timers that are set "by profile" are in [the
explanation of node lifecycles](../design/node-lifecycle.md).\n\n${parts.join("\n")}`;
}

function commandsPage(repository: string): string {
  const help = (words: readonly string[]) =>
    execFileSync(process.execPath, [join(repository, "bin/kintsugi"), ...words, "--help"], helpOptions);
  const all = help([]);
  // `hollow` passes its flags to a program that the other page lists.
  const names = commandNames(all).filter((name) => name !== "help" && name !== "hollow");
  const parts = names.map((name) => {
    const own = help([name]);
    const below = commandNames(own)
      .filter((each) => each !== "help")
      .map((each) => codeBlock(help([name, each])));
    return `## kintsugi ${name}\n\n${[codeBlock(own), ...below].join("\n")}`;
  });
  return `# Commands of kintsugi\n\nEach command prints this with \`--help\`.\n\n${codeBlock(all)}\n${parts.join("\n")}`;
}

/** Names of the commands that a help text lists. */
export function commandNames(help: string): string[] {
  const [, list = ""] = help.split(/^Commands:$/m);
  return [...list.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, name = ""]) => name);
}

function codeBlock(text: string): string {
  return `\`\`\`text\n${text.trimEnd()}\n\`\`\`\n`;
}

function kindPath({ type }: Kind): string {
  return `docs/reference/kinds/${type.group || "core"}-${type.version}-${type.kind.toLowerCase()}.md`;
}

function kindsPage(kinds: readonly Kind[]): string {
  const rows = kinds.map((kind) => {
    const { type, subresources } = kind;
    const link = `[${type.kind}](${kindPath(kind).slice("docs/reference/".length)})`;
    const scope = type.namespaced ? "namespace" : "cluster";
    return `| ${apiVersionOf(kind)} | ${link} | ${type.resource} | ${scope} | ${subresources.join(", ")} |`;
  });
  return `# Kinds\n\nThe API server serves these kinds, and those of CustomResourceDefinitions.\n
| apiVersion | kind | resource | in a | subresources |
|---|---|---|---|---|
${rows.join("\n")}\n`;
}

/** Fields below this depth are documented by `kubectl explain --recursive`. */
const depthMax = 3;

function kindPage(kind: Kind): string {
  const { type, description } = kind;
  const rows = fieldRows(description, "", depthMax);
  return `# ${type.kind} (${apiVersionOf(kind)})\n
\`kubectl explain ${type.resource}${type.group === "" ? "" : ` --api-version=${apiVersionOf(kind)}`}\` prints the same.
${escaped(description.description ?? "")}\n
| field | type | meaning |
|---|---|---|
${rows.join("\n")}\n`;
}

function apiVersionOf({ type }: Kind): string {
  return type.group === "" ? type.version : `${type.group}/${type.version}`;
}

function fieldRows(type: TypeDescription, path: string, depth: number): string[] {
  if (type.type === "list") return fieldRows(type.items, path, depth);
  if (type.type !== "object") return [];
  return [...type.fields.values()].flatMap((field) => {
    const own = path === "" ? field.name : `${path}.${field.name}`;
    // The fields of every object are in the documentation of each, so they are omitted here.
    const below = depth > 1 && own !== "metadata" ? fieldRows(field.type, own, depth - 1) : [];
    return [`| \`${own}\`${field.required ? " (required)" : ""} | ${typeName(field)} | ${meaning(field)} |`, ...below];
  });
}

function typeName({ type }: FieldDescription): string {
  const name = (each: TypeDescription): string => {
    switch (each.type) {
      case "list":
        return `list of ${name(each.items)}`;
      case "map":
        return `map of ${name(each.values)}`;
      case "object":
        return "object";
      default:
        return each.format ?? each.type;
    }
  };
  return name(type);
}

function meaning({ description = "" }: FieldDescription): string {
  return escaped(description).replaceAll(/\s*\n\s*/g, " ");
}

/** Text of a table cell, with all markup escaped. */
function escaped(text: string): string {
  return text.replaceAll(/[\\|<>{}[\]*_`]/g, (each) => `\\${each}`);
}
