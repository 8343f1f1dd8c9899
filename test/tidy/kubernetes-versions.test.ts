import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { chooseFeatures, type KubernetesMinor, kubernetesMinors } from "@kintsugi/api";

// docs/kubernetes-versions.md lists the features of each version of Kubernetes; the gates of the
// code must agree.

interface Row {
  readonly feature: string;
  /** The code has a gate for the feature. */
  readonly isGated: boolean;
  readonly states: readonly string[];
  readonly here: string;
  readonly why: string;
}

const minorsOfTable = kubernetesMinors.filter((minor) => minor >= 34);
const words = ["–", "alpha", "beta, off", "beta", "GA", "GA, locked", "deprecated"];

function rowsOf(document: string): Row[] {
  return document
    .split("\n")
    .filter((line) => /^\| (?:\*\*)?[A-Z]\w+(?:\*\*)? \|/.test(line))
    .map((line) => {
      const cells = line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim());
      const [name = "", ...rest] = cells;
      const states = rest.slice(0, minorsOfTable.length);
      const [here = "", why = ""] = rest.slice(minorsOfTable.length);
      return { feature: name.replaceAll("*", ""), isGated: name.startsWith("**"), states, here, why };
    });
}

/** The state of each gate of the code in a version, with the table's words. */
function gatesAt(minor: KubernetesMinor): Map<string, string> {
  const isLocked = (name: string) => {
    try {
      chooseFeatures({ minor, gates: { [name]: false } });
      return false;
    } catch {
      return true;
    }
  };
  return new Map(
    chooseFeatures({ minor, gates: {} }).map(({ name, stage, isOn }) => {
      const word = { ALPHA: "alpha", BETA: isOn ? "beta" : "beta, off", "": isLocked(name) ? "GA, locked" : "GA" };
      return [name, word[stage]];
    }),
  );
}

function differences(rows: readonly Row[]): string[] {
  const gated = rows.filter(({ isGated }) => isGated);
  const found = minorsOfTable.flatMap((minor, index) => {
    const gates = gatesAt(minor);
    const known = new Set(gated.map(({ feature }) => feature));
    return [
      ...gated.flatMap(({ feature, states }) => {
        const [told, actual] = [states[index], gates.get(feature) ?? "–"];
        return told === actual ? [] : [`${feature} in 1.${minor}: the table has "${told}", the code "${actual}"`];
      }),
      ...[...gates.keys()].filter((name) => !known.has(name)).map((name) => `${name} has a gate, and no row in bold`),
    ];
  });
  return [...new Set(found)];
}

const document = readFileSync(join(import.meta.dirname, "../../docs/kubernetes-versions.md"), "utf8");

test("the table of features has the states of the code's gates, and every gate has a row", () => {
  expect(differences(rowsOf(document))).toEqual([]);
});

test("every row is complete, states yes or no, and gives the reason", () => {
  const rows = rowsOf(document);
  expect(rows.length).toBeGreaterThan(140);
  const wrong = rows.filter(
    ({ states, here, why }) =>
      states.length !== minorsOfTable.length ||
      states.some((state) => !words.includes(state)) ||
      !["yes", "no"].includes(here) ||
      why === "",
  );
  expect(wrong).toEqual([]);
  expect(new Set(rows.map(({ feature }) => feature)).size).toBe(rows.length);
});

test("a state that differs from the code's, and a gate without a row, are detected", () => {
  const [row] = rowsOf("| **EnvFiles** | alpha | beta | beta | GA, locked | yes | it runs |");
  expect(row).toMatchObject({ feature: "EnvFiles", isGated: true, here: "yes", why: "it runs" });
  const found = differences(row === undefined ? [] : [row]);
  expect(found).toContain('EnvFiles in 1.37: the table has "GA, locked", the code "beta"');
  expect(found).toContain("ImageVolume has a gate, and no row in bold");
});
