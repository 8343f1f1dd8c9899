/**
 * Stands for a module that a simulated cluster has no use for: its names can be read and extended,
 * so that the modules that import it load, and a call is refused with its name.
 */
module.exports = function absent(name) {
  const proxy = new Proxy(class {}, {
    // The bundler copies a module's own names, and finds the others by the prototype.
    getPrototypeOf: () => proxy,
    get: (target, key) => {
      if (key === "prototype") return target.prototype;
      if (key === "__esModule" || typeof key === "symbol") return undefined;
      return absent(`${name}.${key}`);
    },
    // Modules make some of their objects while they load.
    construct: () => absent(`new ${name}()`),
    apply: () => {
      throw new Error(`${name} has no place in a browser`);
    },
  });
  return proxy;
};
