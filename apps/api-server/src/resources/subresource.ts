import type { KindVerb, ResourceType } from "@kintsugi/api";
import type { z } from "zod";

/** A subresource as clients see it; the row of the table of subresources adds its handlers. */
export interface SubresourceDescription {
  /** The last part of the URL: "status", "scale". */
  readonly name: string;
  readonly verbs: readonly KindVerb[];
  /** Its bodies and answers; absent where they are those of the object itself. */
  readonly body?: SubresourceBody;
  /**
   * Set where the entries of managedFields are translated for the object, as upstream does for a
   * scale: they lose their time then.
   */
  readonly timelessOwners?: true;
}

type SubresourceBody =
  /** An object of another kind: autoscaling/v1 Scale. */
  | { readonly type: Pick<ResourceType, "group" | "version" | "kind">; readonly schema: z.ZodType }
  /**
   * No object but text or a stream; its options are in the query, and may have a kind of their own.
   */
  | { readonly stream: true; readonly optionsKind?: string | ((kind: string) => string) };
