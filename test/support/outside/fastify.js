module.exports = requireOutside('fastify');
