import type { PlantedBug } from "../planted-bug.ts";

const short = "a quota is too small for a set that grows";
const atOnce = "concurrent creates use the last places of a quota";
const enough = "a quota is sufficient for a set and its rollouts";

/** Bugs of admission and of quotas. */
export const quotaBugs: readonly PlantedBug[] = [
  {
    name: "a quota allows one more than its limit",
    file: "packages/rules/src/quota/check-quota.ts",
    find: "return nanos(used) + nanos(requested) > nanos(hard);",
    replace: "return nanos(used) >= nanos(hard) + nanos(requested);",
    caughtBy: "creates-respect-quotas",
    run: short,
    seed: 1,
  },
  {
    name: "creates of one batch do not count one another in a quota",
    file: "apps/api-server/src/quota/quota-book.ts",
    find: "    this.#take(written);\n",
    replace: "",
    caughtBy: "creates-respect-quotas",
    run: atOnce,
    seed: 1,
  },
  {
    name: "an API server that starts has forgotten its quotas",
    file: "apps/api-server/src/quota/quota-book.ts",
    find: "for (const namespace of this.#namespaces.values()) namespace.loadQuotas([]);",
    replace: "this.#namespaces.clear();",
    caughtBy: "creates-respect-quotas",
    run: short,
    seed: 1,
  },
  {
    name: "a quota is not credited for pods that change or are deleted",
    file: "apps/api-server/src/quota/namespace-quotas.ts",
    find: "if (before !== undefined) total.remove(before);",
    replace: "if (before === null) total.remove(before);",
    caughtBy: "cluster-converges",
    run: enough,
    seed: 1,
  },
  {
    name: "a quota's status is counted only when the quota is created",
    file: "apps/controller-manager/src/controllers/resource-quota/plan.ts",
    find: "const isKnown = sameJson(status.hard, knownHard) && sameJson(used, knownUsed) && quota.status !== undefined;",
    replace: "const isKnown = sameJson(status.hard, knownHard) && knownUsed !== used && quota.status !== undefined;",
    caughtBy: "quotas-count-correctly",
    run: enough,
    seed: 1,
  },
  {
    name: "admission does not check creates against quotas",
    file: "apps/api-server/src/admission/limits/resource-quota.ts",
    find: 'if (operation === "create") return subresource === "";',
    replace: 'if (operation === "create") return subresource !== "";',
    caughtBy: "creates-respect-quotas",
    run: short,
    seed: 1,
  },
];
