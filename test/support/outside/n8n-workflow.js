module.exports = requireOutside('n8n-workflow');
