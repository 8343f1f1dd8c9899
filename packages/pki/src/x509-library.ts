// The library needs the first to be there before it.
import "reflect-metadata";

// Names one by one: a module of its own in a build with shared chunks has no others of a library in
// CommonJS.
export {
  Name,
  PemConverter,
  Pkcs10CertificateRequest,
  Pkcs10CertificateRequestGenerator,
  SubjectAlternativeNameExtension,
} from "@peculiar/x509";
