/** What the API says about itself in the page that it serves. */
export const isSandbox = document.querySelector<HTMLMetaElement>('meta[name="tillway-sandbox"]')?.content === 'true';
