module.exports = requireOutside('../../build/dev/engine/coreEnvironment.js');
