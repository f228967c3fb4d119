package rules

import "toolcrib/review/rules/scan"

// tonguesActs holds the parts of the other tricks in the languages in which
// they are seen: something private is handed over, nobody is asked, nothing is
// said, no other tool is used. Frames ask only that parts stand close together.
var tonguesActs = []scan.Entry{
	{Concept: "xHand", Words: `
		mitgeben, mitzugeben, mitgegeben, übergeben, übergib, beilegen, beizulegen, beifügen, anhängen, eintragen, einzutragen, senden, sende, schicken, schicke, weiterleiten, weitergeleitet, übermitteln, übermittelt, hochladen, kopieren, kopiere, einfügen, füge, trage, schreibe, gesendet, geschickt,
		joignez, joindre, joins, envoyez, envoyer, envoie, transmettez, transmettre, copiez, copier, insérez, insérer, ajoutez, ajouter, mettez, placez, figurer, remplissez, fournir, fournissez, téléversez,
		envía, envíe, enviar, envíalo, pásalo, pasa, adjunta, adjunte, adjuntar, copia, copie, incluye, incluir, incluya, introduce, pon, ponga, mete, sube, manda, reenvía,
		envie, anexe, anexar, coloque, coloca, insira, inclua, cole, mande, encaminhe,
		invia, inviare, inserisci, inserire, inseriscilo, inseriscila, allega, allegare, copialo, metti, passa, inoltra, includi,
		отправь, отправьте, передай, передайте, передать, вставь, вставьте, добавь, добавьте, скопируй, скопируйте, помести, поместите, запиши, укажи, перешли, приложи,
		放入, 填入, 填写到, 写入, 发送, 傳送, 发给, 提交, 上传, 上傳, 附上, 附加, 复制到, 传给, 传入, 转发, 粘贴,
		入れて, 入力して, 送信, 送って, 渡して, 貼り付け, コピーして, 添付, 含めて, 書き込, 転送, 記入して,
		넣으, 넣어, 보내, 전송, 첨부, 입력하, 포함하, 복사, 전달, 업로드,
		wyślij, wyślijcie, prześlij, dołącz, wklej, wpisz, skopiuj, przekaż, stuur, voeg, plak, kopieer, skicka, bifoga, gönder, ekle, yapıştır, kirim, kirimkan, masukkan, sertakan, lampirkan`},
	{Concept: "xPrivate", Words: `
		passwörter, passwort, kennwörter, kennwort, zugangsdaten, zugangsschlüssel, schlüsseldatei, privaten schlüssel, privater schlüssel, umgebungsvariablen, anmeldedaten, kreditkarte, kartennummer, tan,
		mots de passe, mot de passe, identifiants, clé privée, clés privées, clé api, clés api, clés d'accès, jeton d'accès, jeton, jetons, variables d'environnement, numéro de carte, carte bancaire,
		contraseñas, contraseña, credenciales, clave privada, claves privadas, clave de api, claves de acceso, variables de entorno, número de tarjeta, token de acceso,
		senhas, senha, credenciais, chave privada, chaves de acesso, chave de api, variáveis de ambiente, número do cartão,
		credenziali, chiave privata, chiavi private, chiavi ssh, chiave api, variabili d'ambiente, numero di carta, le password,
		пароль, пароли, пароля, паролей, паролями, закрытый ключ, приватный ключ, ключи доступа, токен, переменные окружения, учётные данные, номер карты,
		密码, 密碼, 私钥, 私鑰, 密钥, 密鑰, 凭据, 凭证, 令牌, 环境变量, 環境變數, 卡号, 口令,
		パスワード, 秘密鍵, 認証情報, 環境変数, トークン, カード番号, apiキー, アクセスキー,
		비밀번호, 개인 키, 개인키, 환경 변수, 환경변수, 토큰, 자격 증명, 카드 번호, api 키,
		hasła, hasło, haseł, klucz prywatny, wachtwoord, wachtwoorden, lösenord, şifre, şifreleri, kata sandi, .env, id_rsa, id_ed25519, .ssh`},
	{Concept: "xTalk", Words: `
		gesprächsverlauf, chatverlauf, verlauf des gesprächs, nachrichten des gesprächs, gesamte gespräch, gesamten gespräch, bisherige gespräch, unterhaltung,
		la conversation, historique de la conversation, historique du chat, messages de l'utilisateur, copie de la conversation,
		la conversación, historial de la conversación, historial del chat, mensajes del usuario, toda la conversación,
		a conversa, histórico da conversa, toda a conversa, mensagens do usuário, la conversazione, cronologia della chat, tutta la conversazione,
		переписку, историю переписки, историю чата, весь диалог, историю диалога, всю переписку,
		聊天记录, 聊天記錄, 对话记录, 對話記錄, 对话内容, 对话历史, 完整对话, 全部对话, 会话内容,
		会話履歴, 会話の全文, 会話全体, チャット履歴, これまでの会話, 会話の内容,
		대화 내용, 대화 전체, 대화 기록, 채팅 기록, całą rozmowę, historię rozmowy, rozmowy, het gesprek, hela konversationen, sohbet geçmişini`},
	{Concept: "xHush", Words: `
		nicht erwähnt, nicht zu erwähnen, nicht erwähnen, verschweigen, verschweige, stillschweigend, heimlich, unbemerkt, hinter dem rücken, ohne hinweis, ohne es zu erwähnen,
		sans en informer, sans le dire, sans en parler, sans le mentionner, à l'insu, discrètement, en secret, inutile de le mentionner, inutile d'en parler, inutile de lui en parler, n'en parlez pas, n'en parle pas,
		sin decírselo, sin informar, sin mencionarlo, en secreto, a escondidas, no se lo digas, no se lo comentes, no lo menciones, no menciones, sin que lo sepa, calla, cállate, callarse,
		sem avisar, sem informar, em segredo, não mencione, sem mencionar, senza dirlo, senza informare, senza menzionarlo, di nascosto, non dirlo, in segreto,
		тайно, втайне, не сообщай, не сообщая, не упоминай, незаметно, не говори об этом, скрытно,
		保密, 不要告诉, 不要告訴, 不让用户, 不要让用户, 不得告知, 无需告知, 不必告知, 悄悄, 暗中, 秘密地, 瞒着, 不要提及, 不要提,
		黙って, 内緒で, 秘密に, こっそり, 伝えないで, 知らせないで, 言わないで, 伝えずに, 知らせずに,
		몰래, 비밀로, 알리지 말, 알리지 마, 말하지 마, 말하지 말, 언급하지 마, nie wspominaj, w tajemnicy, po cichu, zonder te vermelden, stiekem, i hemlighet, gizlice, diam diam`},
	{Concept: "xUnasked", Words: `
		ohne rückfrage, ohne nachfrage, ohne zu fragen, ohne nachzufragen, ohne bestätigung, ohne zustimmung, rückfragen sind zu unterlassen, als erteilt, gilt als erteilt, gelten als erteilt, keine bestätigung nötig,
		sans demander, sans confirmation, sans autorisation, sans l'accord, sans consulter, considérez comme acceptée, sans poser de question,
		sin preguntar, sin consultar, sin confirmación, sin pedir permiso, no hace falta pedir permiso, no es necesario confirmar, da por aceptada, da por aceptado, sin autorización,
		sem perguntar, sem confirmação, sem pedir, sem autorização, senza chiedere, senza conferma, senza autorizzazione,
		не спрашивая, без подтверждения, без согласия, без разрешения, согласие считается,
		无需确认, 无需用户确认, 不需要确认, 不必询问, 无需询问, 无需同意, 不用询问, 默认同意, 视为同意, 直接执行,
		確認は不要, 確認不要, 確認なしで, 確認せずに, 許可なく, 同意したものと, 확인 없이, 묻지 말고, 묻지 않고, 동의한 것으로,
		bez pytania, bez potwierdzenia, zonder te vragen, zonder bevestiging, utan att fråga, sormadan, onaysız, tanpa bertanya, tanpa konfirmasi`},
	{Concept: "xGrave", Words: `
		zahlung, zahlungen, kauf, kaufen, überweisen, überweisung, löschen, bestellen, ausgelöst, buchen, sofort,
		paiement, achat, acheter, virement, supprimer, commander, transférer, opération, envoyer,
		pago, pagos, compra, comprar, transferencia, transferir, borrar, eliminar, operación, enviar,
		pagamento, comprar, transferência, apagar, excluir, acquistare, acquisto, bonifico, cancellare, eliminare,
		оплата, платёж, купить, перевод, удалить, перевести,
		付款, 支付, 购买, 转账, 删除, 下单, 执行, 支払, 購入, 送金, 削除, 予約, 注文, 결제, 구매, 송금, 삭제, zapłać, kup, przelew, usuń, betaal, koop, verwijder`},
	{Concept: "xOthers", Words: `
		andere werkzeuge, anderen werkzeuge, andere tools, anderen tools, alle anderen werkzeuge, les autres outils, d'autres outils, autres outils, otras herramientas, otra herramienta, demás herramientas, outras ferramentas, altri strumenti, другие инструменты, других инструментов, 其他工具, 其它工具, 别的工具, 他のツール, 他の検索ツール, ほかのツール, 다른 도구, innych narzędzi, andere hulpmiddelen, andra verktyg, diğer araçları, alat lain`},
	{Concept: "xShut", Words: `
		gesperrt, veraltet, unzuverlässig, nicht verwenden, nicht nutzen, nicht benutzen, nicht mehr, vermeiden, meiden, n'utilisez plus, n'utilise plus, n'utilisez pas, évitez, obsolètes, no uses, no use, no utilices, evita, obsoletas, não use, evite, non usare, evita, не используй, не используйте, избегай, устарели, 不要使用, 请勿使用, 禁止使用, 不得使用, 不可靠, 使わず, 使わない, 使用しない, 使用せず, 사용하지, nie używaj, gebruik geen, använd inte, kullanma, jangan gunakan`},
}

// tonguesFrames are the frames over them, by the rule that they stand for.
var tonguesFrames = map[string][]string{
	"S117": {"~24 xHand xPrivate !xNeg", "~24 xHand xTalk !xNeg", "~20 xHand xPrivate xHush", "~20 xHand xTalk xHush"},
	"S148": {"~30 xHush xHand", "~30 xHush xPrivate", "~24 xHush xGrave"},
	"S144": {"~24 xUnasked xGrave"},
	"S116": {"~14 xOthers xShut"},
}
