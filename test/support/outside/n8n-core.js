require('./coreEnvironment');

module.exports = requireOutside('n8n-core');
