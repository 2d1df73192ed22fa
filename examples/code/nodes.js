/** What a node put out last, if it ran. */
const jsonsOf = (node) => ($(node).isExecuted ? Array.from($(node).all(), ({ json }) => json) : []);
