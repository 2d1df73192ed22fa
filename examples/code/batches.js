/** A batch lasts six seconds, so that Stop and do-not-contact soon take effect. @param pace seconds for each message */
const batchOf = (pace) => Math.min(100, Math.max(1, Math.ceil(6 / pace)));
