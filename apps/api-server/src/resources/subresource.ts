import type { KindVerb, ResourceType } from "@kintsugi/api";
import type { z } from "zod";

/** A subresource in the view of clients; the row of the table of subresources adds its handlers. */
export interface SubresourceDescription {
  /** The last part of the URL: "status", "scale". */
  readonly name: string;
  readonly verbs: readonly KindVerb[];
  /** The kind of its bodies and answers; absent where it is the object's own kind. */
  readonly body?: SubresourceBody;
  /**
   * Set where the entries of managedFields are translated for the object, as upstream does for a
   * scale. The translated entries have no time.
   */
  readonly timelessOwners?: true;
}

type SubresourceBody =
  /** An object of another kind: autoscaling/v1 Scale. */
  | { readonly type: Pick<ResourceType, "group" | "version" | "kind">; readonly schema: z.ZodType }
  /**
   * The answer is text or a stream instead of an object. Its options are in the query, and may have
   * their own kind.
   */
  | { readonly stream: true; readonly optionsKind?: string | ((kind: string) => string) };
