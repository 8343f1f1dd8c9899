/** CSI's Controller service. */
export const controllerProto = `
syntax = "proto3";
package csi.v1;

service Controller {
  rpc CreateVolume(CreateVolumeRequest) returns (CreateVolumeResponse);
  rpc DeleteVolume(DeleteVolumeRequest) returns (DeleteVolumeResponse);
  rpc ControllerPublishVolume(ControllerPublishVolumeRequest) returns (ControllerPublishVolumeResponse);
  rpc ControllerUnpublishVolume(ControllerUnpublishVolumeRequest) returns (ControllerUnpublishVolumeResponse);
  rpc ValidateVolumeCapabilities(ValidateVolumeCapabilitiesRequest) returns (ValidateVolumeCapabilitiesResponse);
  rpc ListVolumes(ListVolumesRequest) returns (ListVolumesResponse);
  rpc GetCapacity(GetCapacityRequest) returns (GetCapacityResponse);
  rpc ControllerGetCapabilities(ControllerGetCapabilitiesRequest) returns (ControllerGetCapabilitiesResponse);
  rpc CreateSnapshot(CreateSnapshotRequest) returns (CreateSnapshotResponse);
  rpc DeleteSnapshot(DeleteSnapshotRequest) returns (DeleteSnapshotResponse);
  rpc ListSnapshots(ListSnapshotsRequest) returns (ListSnapshotsResponse);
  rpc ControllerExpandVolume(ControllerExpandVolumeRequest) returns (ControllerExpandVolumeResponse);
  rpc ControllerModifyVolume(ControllerModifyVolumeRequest) returns (ControllerModifyVolumeResponse);
}

message VolumeContentSource {
  message SnapshotSource { string snapshot_id = 1; }
  message VolumeSource { string volume_id = 1; }
  SnapshotSource snapshot = 1;
  VolumeSource volume = 2;
}
message Volume {
  int64 capacity_bytes = 1;
  string volume_id = 2;
  map<string, string> volume_context = 3;
  VolumeContentSource content_source = 4;
  repeated Topology accessible_topology = 5;
}

message CreateVolumeRequest {
  string name = 1;
  CapacityRange capacity_range = 2;
  repeated VolumeCapability volume_capabilities = 3;
  map<string, string> parameters = 4;
  map<string, string> secrets = 5;
  VolumeContentSource volume_content_source = 6;
  TopologyRequirement accessibility_requirements = 7;
  map<string, string> mutable_parameters = 8;
}
message CreateVolumeResponse { Volume volume = 1; }

message DeleteVolumeRequest { string volume_id = 1; map<string, string> secrets = 2; }
message DeleteVolumeResponse {}

message ControllerPublishVolumeRequest {
  string volume_id = 1;
  string node_id = 2;
  VolumeCapability volume_capability = 3;
  bool readonly = 4;
  map<string, string> secrets = 5;
  map<string, string> volume_context = 6;
}
message ControllerPublishVolumeResponse { map<string, string> publish_context = 1; }

message ControllerUnpublishVolumeRequest { string volume_id = 1; string node_id = 2; map<string, string> secrets = 3; }
message ControllerUnpublishVolumeResponse {}

message ValidateVolumeCapabilitiesRequest {
  string volume_id = 1;
  map<string, string> volume_context = 2;
  repeated VolumeCapability volume_capabilities = 3;
  map<string, string> parameters = 4;
  map<string, string> secrets = 5;
}
message ValidateVolumeCapabilitiesResponse {
  message Confirmed {
    map<string, string> volume_context = 1;
    repeated VolumeCapability volume_capabilities = 2;
    map<string, string> parameters = 3;
  }
  Confirmed confirmed = 1;
  string message = 2;
}

message ListVolumesRequest { int32 max_entries = 1; string starting_token = 2; }
message ListVolumesResponse {
  message VolumeStatus { repeated string published_node_ids = 1; }
  message Entry { Volume volume = 1; VolumeStatus status = 2; }
  repeated Entry entries = 1;
  string next_token = 2;
}

message GetCapacityRequest {
  repeated VolumeCapability volume_capabilities = 1;
  map<string, string> parameters = 2;
  Topology accessible_topology = 3;
}
message GetCapacityResponse { int64 available_capacity = 1; }

message ControllerGetCapabilitiesRequest {}
message ControllerGetCapabilitiesResponse { repeated ControllerServiceCapability capabilities = 1; }
message ControllerServiceCapability {
  message RPC {
    enum Type {
      UNKNOWN = 0;
      CREATE_DELETE_VOLUME = 1;
      PUBLISH_UNPUBLISH_VOLUME = 2;
      LIST_VOLUMES = 3;
      GET_CAPACITY = 4;
      CREATE_DELETE_SNAPSHOT = 5;
      LIST_SNAPSHOTS = 6;
      CLONE_VOLUME = 7;
      PUBLISH_READONLY = 8;
      EXPAND_VOLUME = 9;
      LIST_VOLUMES_PUBLISHED_NODES = 10;
      VOLUME_CONDITION = 11;
      GET_VOLUME = 12;
      SINGLE_NODE_MULTI_WRITER = 13;
      MODIFY_VOLUME = 14;
    }
    Type type = 1;
  }
  RPC rpc = 1;
}

message Snapshot {
  int64 size_bytes = 1;
  string snapshot_id = 2;
  string source_volume_id = 3;
  google.protobuf.Timestamp creation_time = 4;
  bool ready_to_use = 5;
}
message CreateSnapshotRequest {
  string source_volume_id = 1;
  string name = 2;
  map<string, string> secrets = 3;
  map<string, string> parameters = 4;
}
message CreateSnapshotResponse { Snapshot snapshot = 1; }
message DeleteSnapshotRequest { string snapshot_id = 1; map<string, string> secrets = 2; }
message DeleteSnapshotResponse {}
message ListSnapshotsRequest {
  int32 max_entries = 1;
  string starting_token = 2;
  string source_volume_id = 3;
  string snapshot_id = 4;
  map<string, string> secrets = 5;
}
message ListSnapshotsResponse {
  message Entry { Snapshot snapshot = 1; }
  repeated Entry entries = 1;
  string next_token = 2;
}

message ControllerExpandVolumeRequest {
  string volume_id = 1;
  CapacityRange capacity_range = 2;
  map<string, string> secrets = 3;
  VolumeCapability volume_capability = 4;
}
message ControllerExpandVolumeResponse { int64 capacity_bytes = 1; bool node_expansion_required = 2; }

message ControllerModifyVolumeRequest {
  string volume_id = 1;
  map<string, string> secrets = 2;
  map<string, string> mutable_parameters = 3;
}
message ControllerModifyVolumeResponse {}
`;
