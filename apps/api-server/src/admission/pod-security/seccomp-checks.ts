import type { PodSecurityContext, SecurityContext } from "@kintsugi/api";
import {
  type PodRule,
  allContainers,
  containersText,
  namesOf,
  plural,
  quoteAll,
  settersText,
  sortedSet,
} from "./pod-check.ts";

const podKey = "seccomp.security.alpha.kubernetes.io/pod";
const containerPrefix = "container.seccomp.security.alpha.kubernetes.io/";

/** Profiles were annotations before 1.19. */
export const checkSeccompAnnotations: PodRule = ({ metadata: { annotations = {} }, spec }) => {
  const keys = [podKey, ...allContainers(spec).map(({ name }) => `${containerPrefix}${name}`)];
  const bad = sortedSet(
    keys.flatMap((key) => {
      const value = annotations[key];
      return value === undefined || isAllowedAnnotation(value) ? [] : [`${key}=${JSON.stringify(value)}`];
    }),
  );
  if (bad.length === 0) return undefined;
  const what = plural(bad.length, "annotation", "annotations");
  return { reason: "seccompProfile", detail: `forbidden ${what} ${bad.join(", ")}` };
};

function isAllowedAnnotation(value: string): boolean {
  return value === "runtime/default" || value === "docker/default" || value.startsWith("localhost/");
}

/** A profile is the runtime's default or a file of the node. */
export const checkSeccompTypes: PodRule = ({ spec }) => {
  const ofPod = spec.securityContext;
  const setters = settersText(
    isBad(ofPod),
    namesOf(spec, ({ securityContext }) => isBad(securityContext)),
  );
  if (setters === undefined) return undefined;
  const contexts = [ofPod, ...allContainers(spec).map(({ securityContext }) => securityContext)];
  const values = sortedSet(contexts.filter((context) => isBad(context)).map((context) => typeOf(context) ?? ""));
  const detail = `${setters} must not set securityContext.seccompProfile.type to ${quoteAll(values)}`;
  return { reason: "seccompProfile", detail };
};

/** Every container has a profile, either its own profile or the profile of its pod. */
export const checkSeccompIsSet: PodRule = (pod) => {
  const { spec } = pod;
  const bad = checkSeccompTypes(pod);
  if (bad !== undefined || typeOf(spec.securityContext) !== undefined) return bad;
  const names = namesOf(spec, ({ securityContext }) => typeOf(securityContext) === undefined);
  if (names.length === 0) return undefined;
  const detail = `pod or ${containersText(names)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`;
  return { reason: "seccompProfile", detail };
};

type Context = PodSecurityContext | SecurityContext | undefined;

function typeOf(context: Context): string | undefined {
  return context?.seccompProfile?.type;
}

function isBad(context: Context): boolean {
  const type = typeOf(context);
  return type !== undefined && type !== "RuntimeDefault" && type !== "Localhost";
}
