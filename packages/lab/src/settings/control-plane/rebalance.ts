import { z } from "zod";
import { plainField, defineSetting } from "../setting.ts";

/** True if the controller-manager moves crowded pods. */
export const rebalanceSetting = defineSetting({
  name: "rebalance",
  help: "move pods that crowd together to nodes that have returned or joined",
  flag: { flags: "--rebalance" },
  field: plainField("rebalance", z.boolean()),
  store: (desired): { rebalance?: boolean } => (desired === true ? { rebalance: true } : {}),
  contradiction: (spec, desired) => (desired && spec.rebalance !== true ? "no rebalancing" : undefined),
  gives: (spec) => ({ "controller-manager": spec.rebalance === true ? { rebalance: "true" } : {} }),
});
