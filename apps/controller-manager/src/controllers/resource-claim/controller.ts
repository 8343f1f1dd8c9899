import {
  controllerOf,
  formatKey,
  keyOf,
  type Pod,
  pods,
  type ResourceClaim,
  resourceClaims,
  resourceClaimTemplates,
} from "@kintsugi/api";
import { on, reading } from "@kintsugi/controller";
import { claimOfEntry, isDoneWithClaims, resourceClaimRole } from "@kintsugi/rules";
import { defineController } from "../../context.ts";
import { ClaimReconciler } from "./claim-reconciler.ts";
import { PodClaimMaker } from "./pod-reconciler.ts";

// Two queues, where upstream has one queue with two kinds of keys:
//
//   pods     create the claims of templates, record them in the pod's status, reserve
//   claims   deallocate devices of pods that have ended, and delete claims that were made for them

/** Creates and deletes the ResourceClaims of pods. */
export const resourceClaimController = defineController({
  name: "resourceclaim",
  options: {},
  roles: [resourceClaimRole],
  events: "resource_claim",
  reads: [
    reading(resourceClaims, { controller: (claim) => [controllerOf(claim)?.uid ?? ""].filter((uid) => uid !== "") }),
    resourceClaimTemplates,
    reading(pods, { deviceClaim: claimKeysOf, deviceTemplate: templateKeysOf }),
  ],
  create(context) {
    const { informers } = context;
    const podsBy = (index: "deviceClaim" | "deviceTemplate", key: string) =>
      informers
        .of(pods)
        .byIndex(index, key)
        .map((pod) => formatKey(keyOf(pod)));
    const claims = new ClaimReconciler(context);
    const podClaims = new PodClaimMaker(context);
    return {
      // Upstream's default of concurrent-resource-claim-syncs is 50 for one queue. Each of the two
      // queues here only waits for the API.
      workers: 10,
      keys: resourceClaims,
      watches: [
        on(resourceClaims),
        on(pods, ({ type, object }) => {
          if (!usesClaims(object) || (type !== "deleted" && !isDoneWithClaims(object))) return [];
          const owned = informers.of(resourceClaims).byIndex("controller", object.metadata.uid ?? "");
          return [...claimKeysOf(object), ...owned.map((claim) => formatKey(keyOf(claim)))];
        }),
      ],
      reconcile: (key, signal) => claims.reconcile(key, signal),
      also: {
        queue: "resourceclaim_pods",
        workers: 10,
        keys: () =>
          informers
            .of(pods)
            .list()
            .filter(usesClaims)
            .map((pod) => formatKey(keyOf(pod))),
        watches: [
          on(pods, ({ type, object }) => (type !== "deleted" && usesClaims(object) ? [formatKey(keyOf(object))] : [])),
          // A claim that no longer exists is created again, and a claim that was allocated may have
          // to be reserved.
          on(resourceClaims, ({ object }) => [
            ...podsBy("deviceClaim", formatKey(keyOf(object))),
            ...ownerKeyOf(object),
          ]),
          on(resourceClaimTemplates, ({ type, object }) =>
            type === "deleted" ? [] : podsBy("deviceTemplate", formatKey(keyOf(object))),
          ),
        ],
        reconcile: (key, signal) => podClaims.reconcile(key, signal),
      },
    };
  },
});

function usesClaims({ spec }: Pod): boolean {
  return (spec?.resourceClaims ?? []).length > 0;
}

function claimKeysOf(pod: Pod): string[] {
  const { namespace = "" } = pod.metadata;
  return (pod.spec?.resourceClaims ?? []).flatMap((entry) => {
    const claim = claimOfEntry(pod, entry);
    return claim.is === "claim" ? [formatKey({ namespace, name: claim.name })] : [];
  });
}

/** A template matters only to pods whose claims do not exist yet. */
function templateKeysOf(pod: Pod): string[] {
  const { namespace = "" } = pod.metadata;
  return (pod.spec?.resourceClaims ?? []).flatMap((entry) => {
    const name = entry.resourceClaimTemplateName;
    return name !== undefined && claimOfEntry(pod, entry).is === "not made" ? [formatKey({ namespace, name })] : [];
  });
}

function ownerKeyOf(claim: ResourceClaim): string[] {
  const owner = controllerOf(claim);
  const { namespace = "" } = claim.metadata;
  return owner?.kind === "Pod" && owner.apiVersion === "v1" ? [formatKey({ namespace, name: owner.name })] : [];
}
