/** The usage of containers and sandboxes. */
export const statsProto = `
message ContainerAttributes {
  string id = 1;
  ContainerMetadata metadata = 2;
  map<string, string> labels = 3;
}
message CpuUsage { int64 timestamp = 1; UInt64Value usage_core_nano_seconds = 2; }
message MemoryUsage {
  int64 timestamp = 1;
  UInt64Value working_set_bytes = 2;
  UInt64Value usage_bytes = 4;
  UInt64Value rss_bytes = 5;
  UInt64Value page_faults = 6;
  UInt64Value major_page_faults = 7;
}
message ContainerStats {
  ContainerAttributes attributes = 1;
  CpuUsage cpu = 2;
  MemoryUsage memory = 3;
  FilesystemUsage writable_layer = 4;
}
message ContainerStatsFilter {
  string id = 1;
  string pod_sandbox_id = 2;
  map<string, string> label_selector = 3;
}
message ListContainerStatsRequest { ContainerStatsFilter filter = 1; }
message ListContainerStatsResponse { repeated ContainerStats stats = 1; }

message PodSandboxAttributes {
  string id = 1;
  PodSandboxMetadata metadata = 2;
  map<string, string> labels = 3;
}
message NetworkInterfaceUsage {
  string name = 1;
  UInt64Value rx_bytes = 2;
  UInt64Value rx_errors = 3;
  UInt64Value tx_bytes = 4;
  UInt64Value tx_errors = 5;
}
message NetworkUsage {
  int64 timestamp = 1;
  NetworkInterfaceUsage default_interface = 2;
  repeated NetworkInterfaceUsage interfaces = 3;
}
message ProcessUsage { int64 timestamp = 1; UInt64Value process_count = 2; }
message LinuxPodSandboxStats {
  CpuUsage cpu = 1;
  MemoryUsage memory = 2;
  NetworkUsage network = 3;
  ProcessUsage process = 4;
}
message PodSandboxStats { PodSandboxAttributes attributes = 1; LinuxPodSandboxStats linux = 2; }
message PodSandboxStatsFilter { string id = 1; map<string, string> label_selector = 2; }
message ListPodSandboxStatsRequest { PodSandboxStatsFilter filter = 1; }
message ListPodSandboxStatsResponse { repeated PodSandboxStats stats = 1; }
`;
