module.exports = requireOutside('axios');
