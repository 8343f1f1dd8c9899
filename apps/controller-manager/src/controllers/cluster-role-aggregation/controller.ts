import { clusterRoles, formatKey, keyOf, parseKey } from "@kintsugi/api";
import { done, on } from "@kintsugi/controller";
import { defineController } from "../../context.ts";
import { planAggregation } from "./plan.ts";
import { clusterRoleAggregationRole } from "@kintsugi/rules";

/**
 * Fills the rules of ClusterRoles that have an aggregationRule from the roles that they select:
 * upstream's pkg/controller/clusterroleaggregation.
 */
export const clusterRoleAggregationController = defineController({
  name: "clusterrole-aggregation",
  options: {},
  roles: [clusterRoleAggregationRole],
  reads: [clusterRoles],
  create({ client, informers }) {
    const roles = informers.of(clusterRoles);
    const aggregated = () => roles.list().filter(({ aggregationRule }) => aggregationRule !== undefined);
    return {
      queue: "ClusterRoleAggregator",
      workers: 5,
      keys: clusterRoles,
      // Any aggregated role may select any role, and aggregated roles are few.
      watches: [on(clusterRoles, () => aggregated().map((role) => formatKey(keyOf(role))))],
      async reconcile(key, signal) {
        const role = roles.find(parseKey(key));
        if (role === undefined || role.metadata.deletionTimestamp !== undefined) return done;
        const rules = planAggregation(role, roles.list());
        if (rules !== undefined) await client.update(clusterRoles, { ...role, rules }, { signal });
        return done;
      },
    };
  },
});
