import {
  type Endpoints,
  type EndpointSlice,
  type Service,
  serviceNameLabel,
  endpointSlices,
  skipMirrorLabel,
  sliceManagerLabel,
} from "@kintsugi/api";
import { LastingTroubles } from "../../lasting-troubles.ts";
import { parseValue } from "../../committed-values.ts";
import { type Invariant, type InvariantContext, onKind } from "../invariant.ts";

/** A change of Endpoints, of their Service or of a slice wakes the controller within a second. */
const wrongMs = 10_000;

const mirrorName = "endpointslicemirroring-controller.k8s.io";

/**
 * The Endpoints that a user writes for a Service without selector are mirrored: slices contain
 * exactly their addresses, and do not exist once the Endpoints are deleted.
 */
export function mirroredEndpointsAgree(context: InvariantContext): Invariant {
  const wrong = new LastingTroubles(context);
  /** Services without selectors, by namespace and name; at most as many as in the store. */
  const bare = new Set<string>();
  /** The addresses of each Endpoints object, by namespace and name. */
  const written = new Map<string, string>();
  /** The Service and the addresses of each mirroring slice, by the key in the store. */
  const mirrors = new Map<string, { of: string; addresses: readonly string[] }>();

  return {
    name: "mirrored-endpoints-agree",
    never:
      "in a quiet period, a Service without a selector whose slices for 10 s show addresses that differ from the Endpoints that a user wrote for it",
    change({ entry: { key, value }, type }) {
      const [, resource = "", name] = /^(core\/services|core\/endpoints)\/(.+)$/.exec(key) ?? [];
      if (name === undefined) return;
      if (resource === "core/services") {
        const isBare = type !== "delete" && isWithoutSelector(parseValue<Service>(value));
        if (isBare) bare.add(name);
        else bare.delete(name);
        return;
      }
      const endpoints = type === "delete" ? undefined : parseValue<Endpoints>(value);
      if (endpoints === undefined || endpoints.metadata.labels?.[skipMirrorLabel] === "true") written.delete(name);
      else written.set(name, addressesOf(endpoints));
    },
    observes: [
      onKind(endpointSlices, ({ type, object, change }) => {
        const { key } = change.entry;
        const { labels = {}, namespace } = object.metadata;
        if (type === "delete" || labels[sliceManagerLabel] !== mirrorName) return void mirrors.delete(key);
        mirrors.set(key, { of: `${namespace}/${labels[serviceNameLabel]}`, addresses: shownBy(object) });
      }),
    ],
    tick(check) {
      if (mirrors.size === 0 && bare.size === 0) return;
      const shown = new Map<string, string[]>();
      for (const { of, addresses } of mirrors.values()) shown.set(of, [...(shown.get(of) ?? []), ...addresses]);
      const troubles = new Set<string>();
      for (const name of new Set([...bare, ...shown.keys()])) {
        const wanted = bare.has(name) ? (written.get(name) ?? "") : "";
        const found = (shown.get(name) ?? []).toSorted().join(" ");
        if (found !== wanted) troubles.add(`service ${name} is mirrored to "${found}" instead of "${wanted}"`);
      }
      for (const [trouble, forMs] of wrong.observe(troubles))
        check(forMs > wrongMs ? `${trouble} for ${forMs} ms` : undefined);
    },
  };
}

function isWithoutSelector({ spec }: Service): boolean {
  return Object.keys(spec?.selector ?? {}).length === 0;
}

function addressesOf({ subsets = [] }: Endpoints): string {
  const ready = subsets.flatMap(({ addresses = [] }) => addresses.map(({ ip }) => ip));
  return ready.toSorted().join(" ");
}

function shownBy({ endpoints = [] }: EndpointSlice): string[] {
  return endpoints.filter(({ conditions }) => conditions?.ready === true).flatMap(({ addresses }) => addresses);
}
