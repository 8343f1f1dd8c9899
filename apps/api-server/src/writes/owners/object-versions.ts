import { type JsonObject, withoutNulls } from "@kintsugi/api";
import type { FieldVersions } from "../../fields/field-versions.ts";
import type { FieldType } from "../../fields/field-type.ts";
import { decodeLeft } from "../../request/decode-left.ts";
import type { KubeObject, Resource } from "../../resources/resource.ts";
import type { ServerContext } from "../../server-context.ts";

/**
 * A plan needs an object in another version that only a webhook can make. The webhook is called,
 * and the plan is then made again.
 */
export class MissingForm extends Error {
  readonly object: KubeObject;
  readonly apiVersion: string;

  constructor(object: KubeObject, apiVersion: string) {
    super(`the object is not converted to ${apiVersion} yet`);
    this.object = object;
    this.apiVersion = apiVersion;
  }
}

/** The versions of one resource's objects, for one write. */
export class ObjectVersions implements FieldVersions {
  readonly #registry: ServerContext["registry"];
  readonly #resource: Resource;
  /** The forms that webhooks made, by object and version. */
  readonly #made = new Map<string, KubeObject>();

  constructor({ registry }: Pick<ServerContext, "registry">, resource: Resource) {
    this.#registry = registry;
    this.#resource = resource;
  }

  typeOf(apiVersion: string): FieldType | undefined {
    const { storedForm } = this.#resource.kind;
    const type =
      storedForm === undefined ? this.#find(apiVersion)?.description : storedForm.describeVersion(apiVersion);
    return type && { type };
  }

  convert(object: JsonObject, apiVersion: string): JsonObject {
    if (object["apiVersion"] === apiVersion) return object;
    const whole = withoutNulls(structuredClone(object)) as unknown as KubeObject;
    const { storedForm } = this.#resource.kind;
    const converted = storedForm === undefined ? this.#viewedAs(whole, apiVersion) : this.#customAs(whole, apiVersion);
    return converted as unknown as JsonObject;
  }

  learn({ object, apiVersion }: MissingForm, made: KubeObject): void {
    this.#made.set(nameOf(object, apiVersion), made);
  }

  /** @throws MissingForm where a webhook has to make the object in that version first. */
  #customAs(object: KubeObject, apiVersion: string): KubeObject {
    if (this.#resource.kind.storedForm?.conversion === undefined) return { ...object, apiVersion };
    const made = this.#made.get(nameOf(object, apiVersion));
    if (made === undefined) throw new MissingForm(object, apiVersion);
    return made;
  }

  /** @throws ApiError where these fields are invalid in any object. */
  #viewedAs(object: KubeObject, apiVersion: string): KubeObject {
    const [from, to] = [this.#find(object.apiVersion ?? ""), this.#find(apiVersion)];
    if (from === undefined || to === undefined) return object;
    const decoded = decodeLeft(object, from);
    const stored = from.view?.toStored(decoded) ?? decoded;
    return to.view?.fromStored(stored) ?? stored;
  }

  #find(apiVersion: string): Resource | undefined {
    const { kind } = this.#resource.type;
    const found = this.#registry.findByKind(apiVersion, kind);
    return found?.storeName === this.#resource.storeName ? found : undefined;
  }
}

function nameOf(object: KubeObject, apiVersion: string): string {
  return `${apiVersion} ${JSON.stringify(object)}`;
}

/**
 * One plan converts the object before and after the change, and two more objects during pruning, to
 * each version that has owners. This limit is enough for 50 versions.
 */
const conversionsMax = 200;

/** Makes a plan, and before it each form of an object that the plan needs. @throws ApiError */
export async function planInVersions<T>(
  { conversions }: Pick<ServerContext, "conversions">,
  { versions, resource, signal }: { versions: ObjectVersions; resource: Resource; signal: AbortSignal },
  plan: () => T,
): Promise<T> {
  for (let made = 0; ; made++) {
    try {
      return plan();
    } catch (error) {
      if (!(error instanceof MissingForm) || made === conversionsMax) throw error;
      const { object, apiVersion } = error;
      versions.learn(error, await conversions.toVersion(resource, { object, apiVersion }, signal));
    }
  }
}
