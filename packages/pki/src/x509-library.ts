// The library needs the first to be there before it.
import "reflect-metadata";
export * from "@peculiar/x509";
