export { decodeProtobuf } from "./decode-protobuf.ts";
export { protobufBody, protobufFrame, type ProtobufList, protobufList } from "./encode-protobuf.ts";
