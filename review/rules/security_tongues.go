package rules

import "toolcrib/review/rules/scan"

// tongues holds the two oldest tricks, "ignore your earlier instructions" and
// "do not tell the user", in the languages in which they are seen. Word order
// differs, so their frames ask only that the parts stand close together.
var tongues = []scan.Entry{
	{Concept: "xOverride", Words: `ignoriere, ignorieren, ignoriert, vergiss, vergesse, vergessen, vergesst, missachte,
		missachten, übergehe, überschreibe, umgehe, umgehen, verwirf, beachte nicht, befolge nicht, nicht mehr befolgen,
		setze dich über, ignore, ignorez, ignorer, oublie, oubliez, oublier, néglige, négligez, contourne, contournez,
		ne tiens pas compte, ne tenez pas compte, ne suis plus, ne suivez plus, fais abstraction, faites abstraction,
		passe outre, ignora, ignoren, ignorar, ignores, olvida, olvide, olviden, olvídate, omite, omitir, desatiende,
		descarta, descarte, no hagas caso, haz caso omiso, haga caso omiso, pasa por alto, no sigas, anula, ignorem,
		esqueça, esquece, esqueçam, desconsidere, desconsidera, desconsiderem, descarte, despreze, não siga, anule,
		deixe de seguir, ignorare, ignorate, dimentica, dimenticate, dimenticare, trascura, scarta, non considerare,
		non seguire, non tenere conto, tralascia, игнорируй, игнорируйте, игнорировать, проигнорируй, проигнорируйте,
		забудь, забудьте, забыть, отбрось, отбросьте, пренебреги, не обращай внимания, не обращайте внимания, не следуй,
		не следуйте, отмени, отмените, обойди, 忽略, 无视, 無視, 忘记, 忘記, 忘掉, 不要理会, 不要理會, 不理会, 别管, 抛弃, 放弃, 绕过, 繞過, 覆盖, 丢弃,
		不要遵守, 不再遵守, 推翻, 无需遵守, 不必遵守, 無視して, 無視し, 無視せよ, 無視する, 忘れて, 忘れろ, 忘れる, 忘れ, 従わないで, 従うな, 破棄して, 上書き, 無効に, 気にせず, 무시하고,
		무시해, 무시하세요, 무시하십시오, 무시, 잊어, 잊고, 잊어버려, 따르지 마, 따르지, negeer, negeren, vergeet, zignoruj, zignorujcie, ignoruj,
		zapomnij, pomiń, ignorera, glöm, ignorer, glem, ignoroi, unohda, ignorujte, zapomeňte, zapomeň, ignorați,
		ignoră, uită, uitați, yoksay, yok say, unut, görmezden gel, dikkate alma, göz ardı et, abaikan, lupakan,
		hiraukan, bỏ qua, quên, phớt lờ, αγνοήστε, αγνόησε, ξέχασε, ξεχάστε, αγνοησε, تجاهل, تجاهلي, تجاهلوا, انس, انسى,
		أهمل, नज़रअंदाज़, अनदेखा, अनदेखी, भूल जाओ, भूल, उपेक्षा, התעלם, התעלמי, שכח, התעלמו, نادیده, فراموش, ігноруй,
		ігноруйте, забудь, ละเว้น, เพิกเฉย, ลืม, figyelmen kívül, felejtsd, puuza, ไม่ต้องสนใจ`},
	{Concept: "xPrior", Words: `vorherige, vorherigen, vorheriger, frühere, früheren, bisherige, bisherigen, obige,
		obigen, vorangegangenen, vorangehenden, vorstehenden, alle, sämtliche, deine, ihre, ursprünglichen, zuvor,
		vorher, davor, précédentes, précédente, précédents, précédent, antérieures, antérieurs, préalables, ci-dessus,
		ci dessus, toutes, tous, tes, vos, initiales, anteriores, anterior, previas, previos, previa, todas, todos, tus,
		sus, iniciales, dadas, arriba, prévias, prévios, suas, seus, acima, anteriormente, precedenti, precedente,
		tutte, tutti, tue, tuoi, iniziali, sopra, предыдущие, предыдущих, прежние, прошлые, ранее, все, всё,
		вышеуказанные, вышеизложенные, свои, твои, ваши, начальные, выше, прошлых, данные, 之前, 以前, 先前, 以上, 上述, 前面, 此前,
		所有, 全部, 一切, 原来, 原有, 你的, 您的, 上面, 前の, これまで, 以前の, 上記, 今まで, すべて, 全て, 先ほど, 元の, あなたの, 与えられた, 従来, 이전, 앞의, 위의, 모든, 기존,
		지금까지, vorige, eerdere, bovenstaande, poprzednie, poprzednich, wcześniejsze, wszystkie, powyższe, tidigare, alla,
		föregående, tidligere, alle, aiemmat, předchozí, všechny, anterioare, toate, önceki, tüm, bütün, yukarıdaki,
		sebelumnya, semua, terdahulu, trước, trước đó, tất cả, προηγούμενες, όλες, προηγουμενες, السابقة, السابق, جميع,
		كل, أعلاه, पिछले, पिछली, सभी, पहले, הקודמות, כל, הקודם, קודמות, قبلی, تمام, همه, попередні, всі, ก่อนหน้า,
		ทั้งหมด, korábbi, összes, előző, zote`},
	{Concept: "xInstr", Words: `anweisung, anweisungen, instruktionen, instruktion, vorgaben, befehle, richtlinien,
		regeln, systemprompt, systemanweisungen, systemnachricht, sicherheitsrichtlinien, direktiven, aufforderungen,
		anleitungen, instructions, instruction, consignes, consigne, directives, directive, règles, ordres,
		instructions système, instrucciones, instrucción, órdenes, reglas, directrices, indicaciones, directivas,
		mandatos, instruções, instrução, ordens, regras, diretrizes, comandos, orientações, istruzioni, istruzione,
		ordini, regole, direttive, indicazioni, comandi, инструкции, инструкций, инструкциям, указания, указаний,
		команды, правила, правил, директивы, предписания, установки, промпт, 指令, 指示, 说明, 說明, 提示, 提示词, 规则, 規則, 命令, 要求,
		系统提示, 指引, 限制, 准则, 约束, 指示を, 指示は, 命令を, ルール, プロンプト, 制約, ガイドライン, 지시, 지시를, 지시사항, 명령, 명령을, 규칙, 지침, 지침을, 프롬프트,
		instructies, opdrachten, regels, instrukcje, instrukcji, polecenia, zasady, instruktioner, anvisningar,
		instruksjoner, instruktioner, ohjeet, ohjeita, ohjeistukset, pokyny, instrukce, instrucțiunile, instrucțiuni,
		talimatları, talimatlar, talimat, yönergeleri, kuralları, instruksi, perintah, arahan, hướng dẫn, chỉ dẫn,
		chỉ thị, lệnh, οδηγίες, εντολές, οδηγιες, التعليمات, تعليمات, الأوامر, القواعد, الإرشادات, निर्देशों, निर्देश,
		आदेश, नियमों, ההוראות, הוראות, ההנחיות, دستورالعمل, دستورات, دستور, інструкції, вказівки, คำสั่ง, คำแนะนำ,
		utasításokat, utasítást, maelekezo`},
	{Concept: "xNeg", Words: `
		nicht, nichts, niemals, nie, kein, ohne, verrate nicht,
		ne, pas, jamais, rien, sans, n, nen,
		no, nunca, jamás, sin, nada,
		não, sem, nada,
		non, mai, senza, niente,
		не, никогда, ничего, без,
		不要, 不得, 别, 別, 勿, 请勿, 不能, 不可, 切勿, 禁止, 无需, 不必, 不告诉, 不让,
		しないで, ないで, ずに, しては, いけません, 言わない, 伝えない, 知らせない, 内緒, 秘密,
		마, 마세요, 말고, 않고, 없이, 비밀`},
	{Concept: "xTell", Words: `
		sage, sagen, sag, erwähne, erwähnen, informiere, informieren, verrate, verraten, mitteilen, teile, zeige, melde, erzähle, offenbare,
		dis, dites, dire, parle, parlez, parler, informe, informez, informer, mentionne, mentionnez, mentionner, révèle, révélez, révéler, préviens, prévenir, avertir,
		digas, diga, decir, dígaselo, informes, informar, menciones, mencione, mencionar, reveles, revelar, reveles, cuentes, contar, avisar, avises,
		diga, dizer, conte, contar, mencione, mencionar, revele, revelar, informe, avise, avisar,
		dire, dirlo, dica, informare, informi, menzionare, menzioni, rivelare, rivela, avvisare, avvisi, mostrare,
		говори, говорите, сообщай, сообщайте, сообщать, упоминай, упоминайте, упоминать, рассказывай, раскрывай, раскрывайте, показывай, уведомляя, уведомлять, информируй, сообщая,
		告诉, 告訴, 告知, 透露, 提及, 提到, 通知, 说明, 泄露, 显示给, 让, 知道, 知晓, 提醒,
		伝え, 教え, 知らせ, 言わ, 話さ, 明かさ, 通知, 告げ,
		알리지, 말하지, 알려주지, 언급하지, 공개하지, 알리`},
	{Concept: "xUser", Words: `
		benutzer, benutzerin, nutzer, nutzerin, anwender, anwenderin, nutzern, kunden, kunde,
		utilisateur, utilisateurs, utilisatrice, lutilisateur, client,
		usuario, usuarios, usuaria, cliente,
		usuário, usuários, utilizador,
		utente, utenti, allutente, lutente, dellutente,
		пользователю, пользователя, пользователь, пользователям, пользователем, клиенту, юзеру,
		用户, 用戶, 使用者, 客户, 客戶, 用户知道,
		ユーザー, ユーザ, 利用者, 使用者, ユーザーに,
		사용자, 사용자에게, 유저`},
	{Concept: "xReveal", Words: `
		gib, zeige, verrate, nenne, offenbare, ausgeben, gebe, wie lautet, was ist,
		révèle, révélez, affiche, affichez, montre, montrez, donne, donnez, quel est, quelle est, partage,
		revela, revele, muestra, muestre, imprime, dime, cuál es, cual es, dame, comparte,
		mostre, qual é, qual e, diga,
		rivela, rivelate, mostra, stampa, dimmi, qual è,
		покажи, покажите, выведи, выведите, раскрой, раскройте, назови, назовите, сообщи, какой, скажи,
		输出, 輸出, 显示, 顯示, 透露, 打印, 告诉我, 泄露, 展示, 是什么,
		表示し, 出力し, 教えて, 表示して, 出力して, 見せて, 何ですか, 明かして,
		보여, 출력, 알려, 공개, 무엇,
		apa, berapa, ποιος, ποια, ما هي, ما هو, क्या है, bao nhiêu, vad är, hva er, hvad er, wat is, jaki jest, nedir, qual`},
	{Concept: "xSecret", Words: `
		passwort, kennwort, passwörter, zugangsdaten, systemprompt, geheimnis, geheimer, geheimschlüssel, schlüssel, anmeldedaten,
		mot de passe, mots de passe, identifiants, instructions système, prompt système, clé secrète, code secret,
		contraseña, contraseñas, credenciales, mensaje del sistema, prompt del sistema, clave secreta, clave,
		senha, senhas, credenciais, chave secreta, prompt do sistema, palavra passe,
		password, credenziali, chiave segreta, prompt di sistema, parola d'ordine,
		пароль, пароли, пароля, системный промпт, системную подсказку, учётные данные, секретный ключ, секрет,
		密码, 密碼, 口令, 系统提示词, 系统提示, 凭据, 凭证, 密钥, 系统指令,
		パスワード, システムプロンプト, 認証情報, 秘密鍵, 合言葉, 秘密の鍵,
		비밀번호, 암호, 시스템 프롬프트, 자격 증명,
		kata sandi, sandi, wachtwoord, hasło, şifre, parola, lösenord, κωδικός, κωδικος, كلمة السر, كلمة المرور, पासवर्ड, mật khẩu, รหัสผ่าน, passord, adgangskode`},
}

// commonWords are frequent in definitions and prompts, the most frequent first.
const commonWords = `the a to and of for in or is id with you it from get if this name by user on file your list use not be use are that an as query
	search all type default url when string number data set create project content using new path page optional test code text return tool result
	results update request status can only one value format only output example read include model time must it run no use key before will do need
	more up at out information server first then api image any other into message error language each ask command based but has have what how where
	start add more date database field call account like version write issue source base max always check used between after line want should also
	show response within without against ensure specific document system support process change instead open find same working make sure work
	task security access design build provide review analysis performance best pattern patterns implementation implement strategy quality testing
	current next every both their they its which available about single limit true false select detail such full per through end step given keep
	order note match store state action option level comment send post send upload remove delete record log memory context session prompt tokens
	token environment variable agent assistant function service function client customer team public external conversation history email address
	rule rules instruction instructions policy never before same so than who may might could would there here well high low large small long short`

// codedWords are common enough that two of them, in ROT13 or backwards, betray
// a turned text, and rare in that form otherwise.
const codedWords = `ignore previous instructions instruction system prompt user users the and your this that with from reveal secret secrets
	password passwords credentials credential file files read send tool before calling always never tell assistant contents content api key token
	important must execute command include forward upload email without all output follow instead disregard override conversation server attacker first then silently`
