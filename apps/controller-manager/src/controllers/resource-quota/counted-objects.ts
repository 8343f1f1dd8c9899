import type { ApiObject, ResourceType } from "@kintsugi/api";
import { type Informers, isSameKind } from "@kintsugi/controller";
import { countName, isCountedKind, type QuotaUsage, quotaUsageOf } from "@kintsugi/rules";

/** Measures objects in the caches; each state of an object is measured once. */
export class CountedObjects {
  readonly #informers: Informers;
  readonly #types: readonly ResourceType[];
  readonly #measured = new WeakMap<ApiObject, QuotaUsage>();

  constructor(informers: Informers, served: readonly ResourceType[]) {
    this.#informers = informers;
    this.#types = served.filter((type) => type.namespaced && isCountedKind(type));
  }

  /** The kinds that are counted in the caches. */
  get types(): readonly ResourceType[] {
    return this.#types;
  }

  typeOf(kind: Pick<ResourceType, "group" | "resource">): ResourceType | undefined {
    return this.#types.find((type) => countName(type) === countName(kind));
  }

  usagesIn(type: ResourceType, namespace: string): QuotaUsage[] {
    const informer = this.#informers.of(type);
    const inNamespace =
      type.resource === "pods" && type.group === ""
        ? informer.byIndex("namespace", namespace)
        : informer.list().filter(({ metadata }) => metadata.namespace === namespace);
    return inNamespace.map((object) => this.measure(type, object));
  }

  measure(type: ResourceType, object: ApiObject): QuotaUsage {
    let usage = this.#measured.get(object);
    if (usage === undefined) {
      usage = quotaUsageOf(type, object);
      this.#measured.set(object, usage);
    }
    return usage;
  }
}

/** The namespaced kinds except events, which are never counted. */
export function countedKinds(served: readonly ResourceType[]): readonly ResourceType[] {
  return served.filter((type, index) => {
    const isFirst = served.findIndex((each) => isSameKind(each, type)) === index;
    return isFirst && type.namespaced && isCountedKind(type);
  });
}
