/** Values of a callback, an item or an answer that are looked through: more would hold n8n for long. */
export const MOST_VALUES = 200_000;
