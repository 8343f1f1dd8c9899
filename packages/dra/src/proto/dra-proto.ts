/**
 * The protocol between a kubelet and a device driver in one version, with upstream's field numbers.
 * A map from text to a message has the same bytes as a list of its entries.
 */
export function draProto(version: "v1" | "v1beta1"): string {
  return `
syntax = "proto3";
package k8s.io.kubelet.pkg.apis.dra.${version};

service DRAPlugin {
  rpc NodePrepareResources(NodePrepareResourcesRequest) returns (NodePrepareResourcesResponse);
  rpc NodeUnprepareResources(NodeUnprepareResourcesRequest) returns (NodeUnprepareResourcesResponse);
}

message Claim { string namespace = 1; string uid = 2; string name = 3; }
message Device {
  repeated string request_names = 1;
  string pool_name = 2;
  string device_name = 3;
  repeated string cdi_device_ids = 4;
}

message NodePrepareResourcesRequest { repeated Claim claims = 1; }
message NodePrepareResourcesResponse {
  message Entry { string key = 1; NodePrepareResourceResponse value = 2; }
  repeated Entry claims = 1;
}
message NodePrepareResourceResponse { repeated Device devices = 1; string error = 2; }

message NodeUnprepareResourcesRequest { repeated Claim claims = 1; }
message NodeUnprepareResourcesResponse {
  message Entry { string key = 1; NodeUnprepareResourceResponse value = 2; }
  repeated Entry claims = 1;
}
message NodeUnprepareResourceResponse { string error = 1; }
`;
}
