import type { SubresourceType } from "../../../meta/resource-type.ts";
import type { TokenRequest } from "./token-request.ts";

export const tokenRequest: SubresourceType<TokenRequest> = {
  group: "authentication.k8s.io",
  version: "v1",
  subresource: "token",
  kind: "TokenRequest",
};
