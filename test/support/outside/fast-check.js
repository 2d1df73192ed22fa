module.exports = requireOutside('fast-check');
