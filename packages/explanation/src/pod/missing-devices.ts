import { countedNoun, type Pod, type ResourceClaim } from "@kintsugi/api";
import type { ExplainedReason, Remedy } from "../explanation.ts";
import { kubectlCommand } from "../words/commands.ts";
import { aboutObject, listed, singleLine } from "../words/phrases.ts";
import { sinceOf } from "../words/times.ts";
import { findIn, type World } from "../world.ts";

/** Explains which claims of devices an unscheduled pod waits for, if claims were read. */
export function missingDevices(pod: Pod, world: World): ExplainedReason[] {
  if (world.objects.resourceclaims === undefined) return [];
  const { namespace = "" } = pod.metadata;
  return (pod.spec?.resourceClaims ?? []).flatMap(({ name, resourceClaimName, resourceClaimTemplateName }) => {
    const made = pod.status?.resourceClaimStatuses?.find((each) => each.name === name);
    if (resourceClaimName === undefined && made === undefined) return [unmade(pod, resourceClaimTemplateName ?? "")];
    const claimName = resourceClaimName ?? made?.resourceClaimName;
    // The pod's status states that a claim was not needed.
    if (claimName === undefined) return [];
    const claim = findIn(world, "resourceclaims", { namespace, name: claimName });
    return claim === undefined ? [absent(namespace, claimName)] : stateReasons(claim);
  });
}

function unmade(pod: Pod, template: string): ExplainedReason {
  return {
    code: "DevicesUnallocated",
    about: aboutObject("Pod", pod),
    because: `Its device claim has not been created from the template ${singleLine(template)} yet.`,
    awaits: "the controller-manager, which makes claims from templates",
    remedies: [see(pod.metadata.namespace ?? "", `resourceclaimtemplate/${template}`)],
  };
}

function absent(namespace: string, name: string): ExplainedReason {
  return {
    code: "DevicesUnallocated",
    about: { kind: "ResourceClaim", namespace, name },
    because: `The pod uses the device claim ${singleLine(name)}, which does not exist.`,
    awaits: "the claim to be created",
  };
}

function stateReasons(claim: ResourceClaim): ExplainedReason[] {
  const about = aboutObject("ResourceClaim", claim);
  const { name, namespace } = about;
  const { metadata, spec, status } = claim;
  if (metadata.deletionTimestamp !== undefined) {
    const users = (status?.reservedFor ?? []).map((user) => singleLine(user.name));
    const inUse = users.length === 0 ? "" : `; it is still reserved for ${listed(users)}`;
    const because = `The device claim ${name} is being deleted${inUse}.`;
    return [{ code: "DevicesUnallocated", about, because, awaits: "another claim of its name" }];
  }
  if (status?.allocation !== undefined) return [];
  const requests = spec.devices?.requests ?? [];
  const classes = requests.flatMap(({ exactly, firstAvailable = [] }) =>
    [exactly, ...firstAvailable].flatMap((wanted) => wanted?.deviceClassName ?? []),
  );
  return [
    {
      code: "DevicesUnallocated",
      about,
      because: `The claim ${name} has no devices yet: it has ${countedNoun(requests.length, "request")}, of ${classText(classes)}.`,
      ...sinceOf(metadata.creationTimestamp),
      awaits: "a node with free devices that fit all requests together",
      next: "The scheduler allocates the devices and binds the pod.",
      remedies: [
        { does: "See the devices that drivers publish", command: kubectlCommand("", "get", "resourceslices") },
        see(namespace, `resourceclaim/${name}`),
      ],
    },
  ];
}

function classText(classes: readonly string[]): string {
  const names = [...new Set(classes)].map((name) => singleLine(name));
  return names.length === 1 ? `the class ${names[0]}` : `the classes ${listed(names)}`;
}

function see(namespace: string, target: string): Remedy {
  return { does: "Show it", command: kubectlCommand(namespace, "describe", target) };
}
