/** As a value in the page's script, which no text in it can end. */
const forPage = (value) => JSON.stringify(value).replace(/</g, '\\u003c');
/** Whether those who may have got it shall get it, too. */
const also = () => jsonsOf('Page Sends Click')[0]?.body.also === 'unknown';
